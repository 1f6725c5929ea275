"""Find the engine in a command line: which program, which words, which environment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from launchplan.engines.arguments import Word
from launchplan.lint.shell import Token, shell_statements

MODULES = {
    "vllm.entrypoints.openai.api_server": "vllm",
    "vllm.entrypoints.cli.main": "vllm",
    "sglang.launch_server": "sglang",
    "sglang.cli.main": "sglang",
}
"""`python -m` names of the servers."""
WRAPPERS = {"dynamo.vllm": "vllm", "dynamo.sglang": "sglang"}
"""`python -m` names of programs that hand an engine's arguments on, beside flags of their own."""
NO_COMMAND = "no `vllm serve` or `sglang serve` command found"
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_PYTHON = re.compile(r"python[0-9.]*")
_SERVER_FILES = {"vllm/entrypoints/openai/api_server.py": "vllm", "sglang/launch_server.py": "sglang"}
_TALKERS = frozenset({
    "echo", "printf", "grep", "egrep", "rg", "pgrep", "pkill", "kill", "killall", "man", "which", "cat", "ls",
    "cd", "alias", "type", "git", "sed", "awk", "ps", "tee", "pip", "pip3", "log", "die", "info", "warn",
    "error", "say", "test", "[", "[[",
})  # fmt: skip
"""Programs that only speak of a server that stands among their words."""


@dataclass(frozen=True, slots=True)
class Command:
    """An engine's command line without its program and subcommand."""

    engine: str
    words: tuple[Word, ...]
    """The arguments; each knows the index of the word that it was."""
    env: Mapping[str, str]
    """Variables that the command line itself sets."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server stands among the words of a command."""

    engine: str
    program: int
    """Index of the word that names the program."""
    start: int
    """Index of its first argument."""


def find_command(command: str | Sequence[str], engine: str | None = None) -> Command | None:
    """Find the engine in a command, given as text or as its words; None when there is none.

    Assignments and `env` in front of it are its environment; `exec`, `uv run` and other wrappers are passed
    over. Where no program stands, `engine` is the one whose arguments the words are.
    """
    found = _found_in(command)
    if found is not None or engine is None:
        return found
    if isinstance(command, str):
        return _found_in(f"{engine} serve {command}")
    return _found_in([engine, "serve", *command])


def _found_in(command: str | Sequence[str]) -> Command | None:
    if isinstance(command, str):
        found = (_found([t.text for t in each.tokens], each.env) for each in shell_statements(command))
        return next((each for each in found if each is not None), None)
    return _found(list(command), {})


def _found(words: list[str], given: Mapping[str, Token]) -> Command | None:
    server = find_server(words)
    if server is None:
        return None
    env = {name: token.text for name, token in given.items()}
    env |= dict(assignments(words[: server.program]).values())
    arguments = tuple(Word(text, server.start + i) for i, text in enumerate(words[server.start :]))
    return Command(server.engine, arguments, env)


def find_server(words: Sequence[str]) -> Server | None:
    """Find the first server among the words of a command."""
    if words and PurePosixPath(words[0]).name in _TALKERS:
        return None
    for place in range(len(words)):
        engine, start = _server_at(words, place)
        if engine is not None:
            return Server(engine, place, start)
    return None


def assignments(words: Sequence[str]) -> dict[int, tuple[str, str]]:
    """Give name and value of the assignments among words, by their index; they must be no other's value."""
    found = {}
    for place, word in enumerate(words):
        assignment = _ASSIGNMENT.fullmatch(word)
        if assignment is not None:
            found[place] = (assignment[1], assignment[2])
    return found


def _server_at(words: Sequence[str], place: int) -> tuple[str | None, int]:
    """Tell whether a server's program stands at a word, and where its arguments begin."""
    word = words[place]
    name = word.rpartition("/")[2]
    following = words[place + 1 : place + 3]
    if name in {"vllm", "sglang"} and following[:1] == ["serve"]:
        return name, place + 2
    for file, engine in _SERVER_FILES.items():
        if word.endswith(file):
            return engine, place + 1
    if _PYTHON.fullmatch(name):
        # Options of the interpreter (-u, -O) may stand before -m.
        here = place + 1
        while here < len(words) and re.fullmatch(r"-[bBdEIOPqsSuvx]+|-[WX].*", words[here]):
            here += 1
        if words[here : here + 1] == ["-m"] and here + 1 < len(words):
            return _module(words, here + 1)
    return None, 0


def _module(words: Sequence[str], place: int) -> tuple[str | None, int]:
    engine = MODULES.get(words[place]) or WRAPPERS.get(words[place])
    if engine is None:
        return None, 0
    start = place + 1
    return engine, start + (list(words[start : start + 1]) == ["serve"])
