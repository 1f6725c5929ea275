"""Work on several cores: processes that are forked, and hand their results back as bytes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Task = Callable[[], bytes]
MOST = 2
"""Processes at once: more would hold more memory than they save time."""


@contextmanager
def spread(tasks: Sequence[Task]) -> Iterator[Iterator[bytes]]:
    """Start tasks on the cores that there are, and give their results in order.

    Another process begins at once with every second task, the first among them; the others are run here as
    their results are asked for, so that the caller can do something else before. A forked process has
    everything that was loaded until then. Where there is no fork, or one core, the tasks run here in turn;
    so do those of a process that ended early.
    """
    if not tasks or min(MOST, cores()) < 2 or not sys.platform.startswith("linux"):
        yield (task() for task in tasks)
        return
    from multiprocessing import get_context

    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(tasks[::2], sender), daemon=True)
    process.start()
    sender.close()
    try:
        yield _results(tasks, receiver)
    finally:
        process.terminate()
        process.join()


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _work(tasks: Sequence[Task], sender: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the process that asked, which ends this one
    with suppress(Exception):  # the one that asked runs the task again, and tells what is wrong with it
        for task in tasks:
            sender.send_bytes(task())


def _results(tasks: Sequence[Task], receiver: Connection) -> Iterator[bytes]:
    here = [task() for task in tasks[1::2]]
    for number, task in enumerate(tasks):
        yield here[number // 2] if number % 2 else _received(receiver, task)


def _received(receiver: Connection, task: Task) -> bytes:
    try:
        return receiver.recv_bytes()
    except EOFError:
        return task()
