"""Whole sessions at the terminal: `sessions/*.txt` hold commands, what they print, and how they end.

Lines of standard error begin with `! `; an exit code other than 0 stands below as `[exit 1]`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from launchplan import __version__

Runner = Callable[..., Any]
SESSIONS = sorted((Path(__file__).parent / "sessions").glob("*.txt"))


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_session(session: Path, launchplan: Runner, files: Path, update_golden: bool) -> None:
    written = session.read_text(encoding="utf-8")
    commands = [line.removeprefix("$ ") for line in written.splitlines() if line.startswith("$ ")]
    played = "\n".join(_play(command, launchplan, files) for command in commands)
    if update_golden:
        session.write_text(played, encoding="utf-8")
        return
    assert played == written


def _play(command: str, launchplan: Runner, files: Path) -> str:
    line, _, source = command.partition(" < ")
    program, *arguments = shlex.split(line)
    assert program == "launchplan"
    ran = launchplan(*arguments, stdin=(files / source.strip()).read_bytes() if source else b"")
    return f"$ {command}\n{_printed(ran)}"


def _printed(ran: Any) -> str:
    talk = "".join(f"! {line}".rstrip() + "\n" for line in ran.err.splitlines())
    code = f"[exit {ran.code}]\n" if ran.code else ""
    result: str = ran.out.replace(f'"{__version__}"', '"VERSION"')
    return result + talk + code


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("nonsense", "No such command 'nonsense'."),
        ("check", "Missing argument 'RECIPE...'."),
        ("check - -", "standard input can be read once only: name '-' once"),
        (
            "check fine.yaml --format xml",
            "Invalid value for '--format': 'xml' is not one of 'text', 'json', 'github', 'sarif'.",
        ),
        ("render fine.yaml", "Missing option '-o' / '--output'."),
        (
            "show two-nodes.yaml --node node-2",
            "Invalid value for --node: no process is called node-2; there are node-0, node-1",
        ),
        ("new --model config.json", "--gpu must be given where there is no terminal to ask"),
        ("new", "--model and --gpu must be given where there is no terminal to ask"),
        (
            "new --model config.json --gpu l4",
            "--gpus-per-node must be given: what a host with l4 has is not known",
        ),
        (
            "new --model config.json --gpu h100 --nodes 0",
            "Invalid value for '--nodes': 0 is not in the range x>=1.",
        ),
        ("docs", "give either --write or --check"),
    ],
)
def test_wrong_usage_exits_with_2_and_prints_no_result(arguments: str, told: str, launchplan: Runner) -> None:
    ran = launchplan(*shlex.split(arguments))
    assert (ran.code, ran.out) == (2, "")
    usage, _, error = ran.err.partition("Error: ")
    assert usage.startswith("Usage: launchplan ")
    assert error.rstrip() == told


@pytest.mark.parametrize(("arguments", "told"), [("list nothing", "'nothing'"), ("schema", "recipe,")])
def test_a_choice_that_is_none_names_the_choices(arguments: str, told: str, launchplan: Runner) -> None:
    ran = launchplan(*shlex.split(arguments))
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err.partition("Error: ")[2]


def test_without_a_command_the_help_is_shown(launchplan: Runner) -> None:
    ran = launchplan()
    assert (ran.code, ran.out, ran.err) == (2, "", launchplan("--help").out)
