"""Run the command line inside the test's process."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from launchplan.cli.app import run

FILES = Path(__file__).parent / "files"


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


Runner = Callable[..., Ran]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a copy of the test recipes."""
    folder = tmp_path / "work"
    shutil.copytree(FILES, folder)
    monkeypatch.chdir(folder)
    for name in ("NO_COLOR", "LAUNCHPLAN_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def launchplan(files: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """Give a function that runs one command line."""

    def call(*arguments: str, stdin: bytes = b"") -> Ran:
        kept = io.BytesIO(), io.BytesIO()
        out, err = (io.TextIOWrapper(raw, "utf-8", "backslashreplace", write_through=True) for raw in kept)
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
            patched.setattr(sys, "stdout", out)
            patched.setattr(sys, "stderr", err)
            code = _code(arguments)
        return Ran(code, kept[0].getvalue().decode(), kept[1].getvalue().decode())

    return call


def _code(arguments: Sequence[str]) -> int:
    try:
        return run(list(arguments))
    except SystemExit as stop:
        return int(stop.code or 0)
