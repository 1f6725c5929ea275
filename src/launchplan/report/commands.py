"""The commands of a launch as people copy them, and as programs read them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence

from launchplan.engines import Inherited, Launch, Process, Value, Variable

_NAME_GOES_ON = re.compile(r"[A-Za-z0-9_]")
_SPECIAL_IN_QUOTES = re.compile(r'([\\"$`])')


def commands_text(
    launch: Launch, processes: Sequence[Process], *, wrap: bool = False, env: bool = False
) -> str:
    """Print one command a process: the first one bare, each further one below a comment that names it."""
    blocks = []
    for index, process in enumerate(processes):
        lines = [] if index == 0 else [f"# {process_label(process)}"]
        if env:
            lines += (
                f"export {variable.name}={shell_word(variable.value)}" for variable in _env(launch, process)
            )
        lines += _wrapped(process) if wrap else [" ".join(shell_word(word) for word in process.argv)]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def commands_json(launch: Launch, processes: Iterable[Process]) -> str:
    """Print each process with its argument vector and environment; site values stand as `$NAME`."""
    listed = [
        {
            "name": process.name,
            "role": process.role,
            "node": process.node,
            "argv": [bare_text(word) for word in process.argv],
            "env": {variable.name: bare_text(variable.value) for variable in _env(launch, process)},
            "port": process.port,
        }
        for process in processes
    ]
    return json.dumps(listed, indent=2) + "\n"


def process_label(process: Process) -> str:
    """Say what a process is: `node 1: follower`, `prefill-0: head`, `router`."""
    if process.role == "router":
        return process.name
    name = process.name.replace("-", " ") if process.role == "serve" else process.name
    return f"{name}: {'head' if process.node == 0 else 'follower'}"


def shell_word(value: Value) -> str:
    """Quote a value for a shell; a site value stands as `"$NAME"`, for the shell to fill in."""
    if all(isinstance(part, str) for part in value):
        return shlex.quote(bare_text(value))
    return '"' + "".join(_in_quotes(value)) + '"'


def bare_text(value: Value) -> str:
    """Write a value without quotes; a site value stands as `$NAME`."""
    return "".join(_parts(value, escape=False))


def _in_quotes(value: Value) -> Iterator[str]:
    return _parts(value, escape=True)


def _parts(value: Value, *, escape: bool) -> Iterator[str]:
    parts = [part for part in value if part != ""]
    for index, part in enumerate(parts):
        if isinstance(part, str):
            yield _SPECIAL_IN_QUOTES.sub(r"\\\1", part) if escape else part
            continue
        following = parts[index + 1] if index + 1 < len(parts) else ""
        if isinstance(part, Inherited):
            yield f"${{{part.variable}:+:${part.variable}}}"
            continue
        # `$HEAD_ADDR` followed by a letter would be another variable.
        goes_on = isinstance(following, str) and _NAME_GOES_ON.match(following)
        yield f"${{{part.variable}}}" if goes_on else f"${part.variable}"


def _wrapped(process: Process) -> list[str]:
    """Put each flag with its values on its own line."""
    rows = [" ".join(shell_word(word) for word in process.command)]
    rows += (
        "    " + " ".join((flag.name, *(shell_word(value) for value in flag.values)))
        for flag in process.flags
    )
    return [f"{row} \\" for row in rows[:-1]] + rows[-1:]


def _env(launch: Launch, process: Process) -> list[Variable]:
    """List a process's environment: the shared variables, then its own, which win."""
    merged = {variable.name: variable for variable in (*launch.env, *process.env)}
    return list(merged.values())
