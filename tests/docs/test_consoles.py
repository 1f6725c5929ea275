"""The `console` blocks of the documents, run: the output is what the document says.

Lines after `$ ` are a command, `> ` goes on with it, everything else is its output. A line `...` stands for any
lines, ` ...` at the end of a line for the rest of it. The blocks of a document share a folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from launchplan.resources import recipes_dir

ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    "README.md",
    "docs/fit.md",
    "docs/lint.md",
    "docs/quickstart.md",
    "docs/runbook.md",
    "docs/targets.md",
)
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
TIMEOUT_S = 120


@dataclass(frozen=True)
class Step:
    """A command and what it prints."""

    command: str
    output: str

    @property
    def written(self) -> str:
        """The step as the document has it."""
        return "$ " + self.command.replace("\n", "\n> ") + "\n" + self.output


def steps(block: str) -> Iterator[Step]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        more = next((i for i, line in enumerate(lines[1:], 1) if not line.startswith("> ")), len(lines))
        command = lines[0] + "".join(line.removeprefix("> ") for line in lines[1:more])
        yield Step(command.removesuffix("\n"), "".join(lines[more:]))


def matches(expected: str, seen: str) -> bool:
    parts = []
    for line in expected.splitlines(keepends=True):
        if line == "...\n":
            parts.append(r"(?:.*\n)*?")
        elif line.endswith(" ...\n"):
            parts.append(re.escape(line.removesuffix(" ...\n")) + r"\b.*\n")
        else:
            parts.append(re.escape(line))
    return re.fullmatch("".join(parts), seen) is not None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "recipes").symlink_to(ROOT / "recipes")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "launchplan"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m launchplan "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return tmp_path


def run(command: str, folder: Path) -> str:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-uo", "pipefail", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": path, "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode in {0, 1, 2}, f"{command} ended with {done.returncode}:\n{done.stdout}"
    # As a reader sees it who stands in the checkout.
    return done.stdout.replace(f"{recipes_dir().parent}/", "")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_commands_print_what_the_document_says(name: str, folder: Path, update_golden: bool) -> None:
    document = ROOT / name
    text = document.read_text(encoding="utf-8")
    played = 0
    for block in BLOCK.findall(text):
        made = ""
        for step in steps(block):
            played += 1
            seen = run(step.command, folder)
            open_ended = "...\n" in step.output and matches(step.output, seen)
            made += (step if open_ended else Step(step.command, seen)).written
        if update_golden:
            text = text.replace(block, made)
        assert update_golden or made == block
    assert played
    if update_golden:
        document.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("expected", "seen", "same"),
    [
        ("a\n...\nc\n", "a\nb\nb\nc\n", True),
        ("a\n...\nc\n", "a\nc\n", True),
        ("a\n...\nc\n", "a\nb\n", False),
        ("a ...\n", "a b\n", True),
        ("a ...\n", "ab\n", False),
        ("a.b\n", "axb\n", False),
    ],
)
def test_dots_stand_for_what_is_left_out(expected: str, seen: str, same: bool) -> None:
    assert matches(expected, seen) == same
