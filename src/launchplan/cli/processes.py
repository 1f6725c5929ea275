"""Work on several cores: processes that are forked, and hand their results back as bytes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Task = Callable[[], bytes]
MOST = 2
"""Processes at once: more would hold more memory than they save time."""


def spread(tasks: Sequence[Task]) -> list[bytes]:
    """Run tasks on the cores that there are, and give their results in order.

    A forked process has everything that was loaded before. Where there is no fork, or one core, or one task,
    the tasks run here in turn; so do those of a process that ended early.
    """
    workers = min(MOST, cores(), len(tasks))
    if workers < 2 or not sys.platform.startswith("linux"):
        return [task() for task in tasks]
    from multiprocessing import get_context

    context = get_context("fork")
    mine, theirs = tasks[::2], tasks[1::2]
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(theirs, sender), daemon=True)
    process.start()
    sender.close()
    try:
        here = [task() for task in mine]
        there = _received(receiver, theirs)
    finally:
        process.terminate()
        process.join()
    results: list[Any] = [b""] * len(tasks)
    results[::2], results[1::2] = here, there
    return results


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _work(tasks: Sequence[Task], sender: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the process that asked, which ends this one
    with suppress(Exception):  # the one that asked runs the task again, and tells what is wrong with it
        for task in tasks:
            sender.send_bytes(task())


def _received(receiver: Connection, tasks: Sequence[Task]) -> list[bytes]:
    found: list[bytes] = []
    for task in tasks:
        try:
            found.append(receiver.recv_bytes())
        except EOFError:
            found.append(task())
    return found
