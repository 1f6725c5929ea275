"""The command line: the only room that reads arguments, environment and terminal, and that writes files.

Modules here import click, the standard library and the ground floor only; a command's body imports what it
needs, so that `--help` stays quick.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False  # what typing has, without the time that its import takes before Ctrl-C is caught
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

__all__ = ["main"]

_INTERRUPTED = 130
_OBJECTS = 100_000
"""New objects after which Python looks for cycles among them: a command ends long before many are lost."""


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and end the process with its exit code, also when Ctrl-C comes during imports."""
    sys.unraisablehook = _unraisable
    gc.set_threshold(_OBJECTS)
    try:
        from launchplan.cli.app import main as run

        run(args)
    except KeyboardInterrupt:
        _leave_interrupted()


def _unraisable(lost: sys.UnraisableHookArgs) -> None:
    """Keep to a Ctrl-C that came inside a callback of the import system, where Python drops it."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _leave_interrupted()
    sys.__unraisablehook__(lost)


def _leave_interrupted() -> NoReturn:
    sys.stderr.write("interrupted\n")
    sys.stderr.flush()
    # An interrupt inside a module's generated code makes a normal exit end by the signal (pythonrun.c).
    os._exit(_INTERRUPTED)
