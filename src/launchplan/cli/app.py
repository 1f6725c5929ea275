"""The `launchplan` command, and what becomes of everything that can go wrong below it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

import click

from launchplan import __version__
from launchplan.cli.catalog import catalog
from launchplan.cli.check import check
from launchplan.cli.diff import diff
from launchplan.cli.docs import docs
from launchplan.cli.engine import engine
from launchplan.cli.exits import CLEAN, INTERNAL, INTERRUPTED, UNREADABLE
from launchplan.cli.explain import explain
from launchplan.cli.fit import fit
from launchplan.cli.lint import lint
from launchplan.cli.listing import listing
from launchplan.cli.memory import memory
from launchplan.cli.new import new
from launchplan.cli.observe import observe
from launchplan.cli.output import leave_closed_pipe, leave_interrupted, never_fail_to_encode, say
from launchplan.cli.render import render
from launchplan.cli.schema import schema
from launchplan.cli.show import show
from launchplan.cli.site import site
from launchplan.errors import CatalogError, InputError, LaunchplanError, system_reason


class _InGivenOrder(click.Group):
    """A group whose help lists commands in the order in which people need them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 # click's signature
        return list(self.commands)


@click.group(
    cls=_InGivenOrder,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    no_args_is_help=True,
)
@click.version_option(__version__, message="launchplan %(version)s")
def launchplan() -> None:
    """Check vLLM and SGLang launches before renting a GPU; render their scripts.

    RECIPE is a file, `-` for standard input, or the name of a shipped recipe (`launchplan list recipes`).

    Exit codes: 0 clean, 1 errors found, 2 usage or unreadable input, 3 a bug of launchplan.
    """


for _command in (
    check,
    render,
    show,
    memory,
    fit,
    observe,
    lint,
    diff,
    site,
    explain,
    listing,
    new,
    catalog,
    engine,
    schema,
    docs,
):
    launchplan.add_command(_command)


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and end the process with its exit code."""
    never_fail_to_encode()
    if threading.current_thread() is threading.main_thread():
        # A terminated render removes its unfinished folder, as an interrupted one does.
        signal.signal(signal.SIGTERM, _terminated)
    code = run(args)
    if code == INTERRUPTED:
        leave_interrupted()
    sys.exit(code)


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code. Nothing but a bug is shown as one."""
    try:
        code = launchplan.main(args, prog_name="launchplan", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return UNREADABLE
    except (click.Abort, KeyboardInterrupt):
        say("interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:
        leave_closed_pipe()
    except CatalogError as error:
        return _bug(error)
    except InputError as error:
        from launchplan.cli.inputs import say_findings

        say_findings(error.findings)
        return UNREADABLE
    except LaunchplanError as error:
        say(f"error: {error}\n")
        return UNREADABLE
    except OSError as error:
        what = system_reason(error)
        say(f"error: {what}: {error.filename}\n" if error.filename else f"error: {what}\n")
        return UNREADABLE
    except Exception as error:  # noqa: BLE001 # whatever is left is a bug, and said to be one
        return _bug(error)
    return code if isinstance(code, int) else CLEAN


def _bug(error: Exception) -> int:
    if os.environ.get("LAUNCHPLAN_DEBUG") == "1":
        say("".join(traceback.format_exception(error)))
    what = " ".join(str(error).split())
    say(
        f"internal error: {type(error).__name__}: {what}; please report it with the command and its input"
        " (LAUNCHPLAN_DEBUG=1 prints a traceback)\n"
    )
    return INTERNAL


def _terminated(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
