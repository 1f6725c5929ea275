"""One process a GPU, one fork a launch: nothing that an engine remembers reaches the next verdict."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from tests.conformance.record.launches import Launch, Verdict


class Engine(Protocol):
    """An installed engine behind a pretended device."""

    def load(self) -> None:
        """Import the engine; what is slow happens here, once a GPU."""

    def judge(self, launch: Launch) -> Verdict:
        """Take a launch as far as the stage goes."""


def judge_all(
    engine: Engine, launches: tuple[Launch, ...], timeout_s: float, *, together: bool = False
) -> Iterator[tuple[Launch, Verdict]]:
    """Judge launches in forks of a process that has the engine loaded.

    With `together` they are judged in that process, one after the other, and only one that is refused gets a fork:
    it counts as refused when both refuse it. Raises RuntimeError when that process ends before the last launch.
    """

    def work(send: Callable[[Any], None]) -> None:
        engine.load()
        if not together:
            _warm(engine, launches[0])
        for place, launch in enumerate(launches):
            taken = _judge_here(engine, launch) if together else None
            verdict = taken if taken is not None and taken.ok else _judge_one(engine, launch, timeout_s)
            send([place, asdict(verdict)])

    judged = 0
    for place, verdict in _in_fork(work, timeout_s=None):
        judged += 1
        yield launches[place], Verdict(**verdict)
    if judged != len(launches):
        raise RuntimeError(f"the engine's process ended after {judged} of {len(launches)} launches")


def _warm(engine: Engine, launch: Launch) -> None:
    """Import what one verdict imports on its way, so that the forks find it imported."""

    def work(send: Callable[[Any], None]) -> None:
        engine.judge(launch)
        send(list(sys.modules))

    for names in _in_fork(work, timeout_s=None):
        for name in names:
            # Some modules ask for device memory while they are imported: a fork gets them in its own way.
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def _judge_here(engine: Engine, launch: Launch) -> Verdict:
    before = dict(os.environ)
    os.environ.update(launch.env)
    try:
        return engine.judge(launch)
    finally:
        os.environ.clear()
        os.environ.update(before)


def _judge_one(engine: Engine, launch: Launch, timeout_s: float) -> Verdict:
    def work(send: Callable[[Any], None]) -> None:
        os.environ.update(launch.env)
        send(asdict(engine.judge(launch)))

    for verdict in _in_fork(work, timeout_s):
        return Verdict(**verdict)
    return Verdict(ok=False, where="(no verdict)", error=f"died, or took longer than {timeout_s:g} s")


def _in_fork(work: Callable[[Callable[[Any], None]], None], timeout_s: float | None) -> Iterator[Any]:
    """Run work in a child and give what it sends, line by line; a child that is late is ended."""
    receiver, sender = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(receiver)
        _run_child(work, sender)
    os.close(sender)
    try:
        yield from _lines(receiver, timeout_s)
    finally:
        os.close(receiver)
        os.kill(child, signal.SIGKILL)  # engines leave threads behind that would keep it alive
        os.waitpid(child, 0)


def _run_child(work: Callable[[Callable[[Any], None]], None], sender: int) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    lines = os.fdopen(sender, "w", encoding="utf-8")

    def send(value: Any) -> None:
        lines.write(json.dumps(value) + "\n")
        lines.flush()

    code = 1
    try:
        work(send)
        code = 0
    except Exception:  # noqa: BLE001 # the fork must not run on in the parent's stead
        traceback.print_exc()
    finally:
        os._exit(code)


def _lines(receiver: int, timeout_s: float | None) -> Iterator[Any]:
    held = b""
    while True:
        ready, _, _ = select.select([receiver], [], [], timeout_s)
        chunk = os.read(receiver, 1 << 16) if ready else b""
        if not chunk:
            return
        *whole, held = (held + chunk).split(b"\n")
        yield from (json.loads(line) for line in whole)


def work_folder(models: Path) -> None:
    """Stand where `organisation/name` is a folder, so that ids are read as local models."""
    os.chdir(models)
    os.environ.update({"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"})
