"""Find the engine in a command line: which program, which words, which environment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from launchplan.engines.arguments import Word
from launchplan.lint.shell import shell_words

MODULES = {
    "vllm.entrypoints.openai.api_server": "vllm",
    "vllm.entrypoints.cli.main": "vllm",
    "sglang.launch_server": "sglang",
}
"""`python -m` names of the servers."""
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Command:
    """An engine's command line without its program and subcommand."""

    engine: str
    words: tuple[Word, ...]
    """The arguments; each knows the index of the word that it was."""
    env: Mapping[str, str]
    """Variables that the command line itself sets."""


def find_command(command: str | Sequence[str]) -> Command | None:
    """Find the engine in a command, given as text or as its words; None when there is none.

    Assignments and `env` in front of it are its environment; `exec`, `uv run` and other wrappers are passed
    over.
    """
    words = shell_words(command) if isinstance(command, str) else list(command)
    env: dict[str, str] = {}
    for place, word in enumerate(words):
        engine, start = _server_at(words, place)
        if engine is not None:
            return Command(engine, tuple(Word(text, start + i) for i, text in enumerate(words[start:])), env)
        assignment = _ASSIGNMENT.fullmatch(word)
        if assignment is not None:
            env[assignment[1]] = assignment[2]
    return None


def _server_at(words: Sequence[str], place: int) -> tuple[str | None, int]:
    """Tell whether a server's program stands at a word, and where its arguments begin."""
    name = PurePosixPath(words[place]).name
    following = words[place + 1 : place + 3]
    if name in {"vllm", "sglang"} and following[:1] == ["serve"]:
        return name, place + 2
    if re.fullmatch(r"python[0-9.]*", name) and following[:1] == ["-m"] and following[1:2]:
        engine = MODULES.get(following[1])
        if engine is not None:
            start = place + 3
            return engine, start + (words[start : start + 1] == ["serve"])
    return None, 0
