"""Hollow driver libraries, so that an engine's compiled extensions load where no driver and no CUDA torch is.

Needs `cc`, `nm` and `readelf`. Every function of a hollow library returns 100, the driver's "no device"; loading an extension
only registers its operators, and no such function is called.
"""

from __future__ import annotations

import ctypes
import importlib.util
import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

_LIBRARY = re.compile(
    r"lib(cuda|c10_cuda|torch_cuda|nvrtc|cublas|cublasLt|cudnn|cusparse|cusolver|nccl)\.so.*"
)
_OF_DEVICE = re.compile(r"cu[A-Z]\w+|(cublas|nvrtc|nvml)\w+|\w*torch\w*cuda\w*|_Z\w*cuda\w*")
"""Functions of the driver, of its companions and of torch's CUDA half; `cuda…` is the runtime, which is there."""


def extensions_of(package: str) -> list[Path]:
    """List the compiled files of an installed package; none when it isn't installed."""
    found = importlib.util.find_spec(package)
    folders = (found.submodule_search_locations if found else None) or ()
    return sorted(path for folder in folders for path in Path(folder).rglob("*.so"))


def preload(extensions: Iterable[Path]) -> None:
    """Load what the extensions need of the libraries that this machine does not have."""
    files = tuple(extensions)
    needed = sorted({name for path in files for name in _needed(path)})
    missing = [name for name in needed if not _loads(name)]
    symbols = sorted({symbol for path in files for symbol in _undefined(path)})
    source = "".join(f"int {symbol}(void) {{ return 100; }}\n" for symbol in symbols)
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder) / "hollow.c"
        code.write_text(source, encoding="utf-8")
        for name in missing:
            made = Path(folder) / name
            _said(
                "cc",
                "-shared",
                "-fPIC",
                "-w",
                "-fno-builtin",
                f"-Wl,-soname,{name}",
                "-o",
                str(made),
                str(code),
            )
            ctypes.CDLL(str(made), mode=ctypes.RTLD_GLOBAL)


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return False
    return True


def _needed(path: Path) -> list[str]:
    """List the device libraries that a file names."""
    names = re.findall(r"\(NEEDED\)[^\[]*\[([^\]]+)\]", _said("readelf", "-d", str(path)))
    return [name for name in names if _LIBRARY.fullmatch(name)]


def _undefined(path: Path) -> list[str]:
    """List the device functions that a file takes from elsewhere."""
    listed = _said("nm", "-D", "--undefined-only", "--format=just-symbols", str(path))
    names = (line.partition("@")[0] for line in listed.split())
    return [name for name in names if _OF_DEVICE.fullmatch(name)]


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
