"""The sources of all releases of a project, unpacked from the wheels that pip downloads."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from packaging.version import Version

OLDEST = {"vllm": Version("0.4.0"), "sglang": Version("0.4.0"), "transformers": Version("4.42")}
"""The first releases that are read."""
KEPT = {
    "vllm": r"vllm/.*\.py",
    "sglang": r"sglang/srt/.*\.py",
    "transformers": r"transformers/models/auto/.*\.py",
}
METADATA = "METADATA"


def pip(*words: str) -> str:
    """Run pip and give what it says."""
    command = [sys.executable, "-m", "pip", *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def releases(project: str) -> list[Version]:
    """The releases of a project that pip finds, oldest first."""
    found = re.search(r"^Available versions: (.*)$", pip("index", "versions", project), re.MULTILINE)
    every = [Version(each) for each in found[1].split(", ")] if found else []
    return sorted(each for each in every if each >= OLDEST[project])


def sources(project: str, folder: Path) -> dict[Version, Path]:
    """The folder of each release; what is there already is not downloaded again."""
    found = {version: folder / project / str(version) for version in releases(project)}
    for version, place in found.items():
        if not place.is_dir():
            place.parent.mkdir(parents=True, exist_ok=True)
            _unpack(project, version, place)
    return found


def _unpack(project: str, version: Version, place: Path) -> None:
    with TemporaryDirectory(dir=place.parent) as near:
        asked = f"{project}=={version}"
        pip("download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", near, asked)
        (path,) = Path(near).glob("*.whl")
        with ZipFile(path) as wheel:
            for name in wheel.namelist():
                if re.fullmatch(KEPT[project], name) or name.endswith(f".dist-info/{METADATA}"):
                    wheel.extract(name, Path(near) / "kept")
        (Path(near) / "kept").rename(place)


def texts(place: Path, *patterns: str) -> dict[str, str]:
    """The sources below a folder whose names are as asked (`**` is any folders), in the order of names."""
    paths = sorted({path for pattern in patterns for path in place.glob(pattern)})
    return {str(path.relative_to(place)): path.read_text(encoding="utf-8-sig") for path in paths}
