"""Writing to the terminal: results to standard output, talk to standard error."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import NoReturn, TextIO

from launchplan.cli.exits import CLOSED_PIPE, INTERRUPTED, UNREADABLE
from launchplan.errors import system_reason


def emit(text: str) -> None:
    """Write a result to standard output; leave quietly when nobody reads it any more."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        leave_closed_pipe()
    except OSError as error:  # a full disk behind a redirection
        drop_output()
        say(f"error: cannot write to standard output: {system_reason(error)}\n")
        raise SystemExit(UNREADABLE) from error


def say(text: str) -> None:
    """Write talk to standard error."""
    sys.stderr.write(text)
    sys.stderr.flush()


def leave_closed_pipe() -> NoReturn:
    """End the process quietly, as others do whose reader goes away."""
    drop_output()
    raise SystemExit(CLOSED_PIPE)


def leave_interrupted() -> NoReturn:
    """End the process at once with the code of Ctrl-C.

    An interrupt inside generated code, a dataclass's for instance, makes a normal exit end by the signal
    (CPython's pythonrun.c, `unhandled_keyboard_interrupt`).
    """
    sys.stderr.flush()
    os._exit(INTERRUPTED)


def drop_output() -> None:
    """Spare the user Python's complaint about unwritten output at exit."""
    with suppress(OSError, ValueError):  # a stream without a descriptor, as in tests
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def wants_color(stream: TextIO) -> bool:
    """Tell whether a stream is a terminal that shows colours and nobody asked to leave them out."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def never_fail_to_encode() -> None:
    r"""Print `\xe9` where a terminal's encoding lacks a character, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
