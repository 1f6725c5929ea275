"""Programs that stand for engines, routers and drivers on the hosts of a test."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from launchplan.render import Bundle

ENGINE = Path(__file__).parent / "engine.py"
RAY = Path(__file__).parent / "stub_ray.py"
PROGRAMS = {
    **dict.fromkeys(("vllm", "sglang", "vllm-router", "python3"), ENGINE),
    **dict.fromkeys(("ray", "python3-with-ray"), RAY),
}
_PYTHON = '#!/bin/bash\n[[ $1 == -c && $2 == *ray.init* ]] && with=-with-ray\nexec {} -IS {}/python3${{with-}} "$@"\n'
_DRIVER = '#!/bin/sh\nfor i in 0 1 2 3 4 5 6 7; do echo "GPU $i: pretended"; done\n'


def install(folder: Path) -> Path:
    """Put the programs into a folder that is then first on PATH."""
    hidden = folder / ".run"
    hidden.mkdir(parents=True)
    for name, program in PROGRAMS.items():
        shutil.copy(program, hidden / name)
        _program(folder / name, f'#!/bin/bash\nexec {sys.executable} -IS {hidden / name} "$@"\n')
    _program(folder / "python3", _PYTHON.format(sys.executable, hidden))
    _program(folder / "nvidia-smi", _DRIVER)
    return folder


def put(bundle: Bundle, folder: Path) -> None:
    """Write a bundle to a folder."""
    for path, content in bundle.files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755 if path in bundle.executable else 0o644)


def _program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)
