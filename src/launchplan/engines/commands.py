"""A process's command and environment as a shell reads them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from launchplan.engines.launch import RAY_START, Flag, Inherited, Launch, Process, Value, Variable

_NAME_GOES_ON = re.compile(r"[A-Za-z0-9_]")
_SPECIAL_IN_QUOTES = re.compile(r'([\\"$`])')


def command_text(process: Process, *, wrap: bool = False) -> str:
    """Write a process's command in one line, or each flag with its values on a line of its own.

    Where Ray starts before it, its command stands above.
    """
    first = [_wrapped(RAY_START, process.ray.flags)] if process.ray else []
    commands = [*first, _wrapped(process.command, process.flags)]
    if wrap:
        return "\n".join(line for rows in commands for line in rows)
    words = (process.ray.argv, process.argv) if process.ray else (process.argv,)
    return "\n".join(" ".join(shell_word(word) for word in each) for each in words)


def exports(launch: Launch, process: Process) -> tuple[str, ...]:
    """Write what sets a process's environment, a variable a line."""
    return tuple(f"export {each.name}={shell_word(each.value)}" for each in environment(launch, process))


def environment(launch: Launch, process: Process) -> tuple[Variable, ...]:
    """List a process's environment: the shared variables, then its own, which win."""
    merged = {variable.name: variable for variable in (*launch.env, *process.env)}
    return tuple(merged.values())


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


def _wrapped(command: tuple[Value, ...], flags: tuple[Flag, ...]) -> list[str]:
    """Put each flag with its values on its own line."""
    rows = [" ".join(shell_word(word) for word in command)]
    rows += ("    " + " ".join((flag.name, *(shell_word(value) for value in flag.values))) for flag in flags)
    return [f"{row} \\" for row in rows[:-1]] + rows[-1:]
