"""Work that is spread over two processes gives what it gives in one."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import pytest

from launchplan import api
from launchplan.cli import processes
from launchplan.cli.processes import spread
from launchplan.fit.json_format import fits_json
from launchplan.fit.text import fits_text


@pytest.fixture
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "cores", lambda: 2)


def _named(name: str) -> bytes:
    return f"{name} {os.getpid()}".encode()


@pytest.mark.usefixtures("_two_cores")
def test_results_come_in_order_from_two_processes() -> None:
    with spread([partial(_named, name) for name in "abcde"]) as results:
        found = [each.decode().split() for each in results]
    assert [name for name, _ in found] == [*"abcde"]
    assert len({process for _, process in found}) == 2


def test_one_core_forks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "cores", lambda: 1)
    with spread([partial(_named, name) for name in "ab"]) as found:
        assert {each.decode().split()[1] for each in found} == {str(os.getpid())}


@pytest.mark.usefixtures("_two_cores")
def test_what_an_ended_process_left_is_done_here() -> None:
    here = os.getpid()

    def task() -> bytes:
        if os.getpid() != here:
            os._exit(3)
        return b"done"

    with spread([task, task, task, task]) as results:
        assert list(results) == [b"done"] * 4


@pytest.mark.usefixtures("_two_cores")
def test_an_error_ends_the_other_process() -> None:
    def wrong() -> bytes:
        raise ValueError("told")

    def long() -> bytes:
        time.sleep(600)
        return b""

    with pytest.raises(ValueError, match="told"), spread([long, wrong]) as results:
        next(results)


@pytest.mark.usefixtures("_two_cores")
def test_the_other_process_begins_before_anything_is_asked_for(tmp_path: Path) -> None:
    begun = tmp_path / "begun"

    def task() -> bytes:
        begun.touch()
        return b"done"

    with spread([task]) as results:
        until = time.monotonic() + 60
        while not begun.exists():
            assert time.monotonic() < until
            time.sleep(0.01)
        assert list(results) == [b"done"]


@pytest.mark.usefixtures("_two_cores")
@pytest.mark.parametrize("workload", [None, "20x8k"])
def test_a_search_gives_the_same_from_two_processes(workload: str | None) -> None:
    search = partial(
        api.fit,
        "openai/gpt-oss-120b",
        gpu=["h200", "mi355x", "l4"],
        max_gpus=4,
        workload=workload,
        derived=True,
    )
    alone, shared = search(), search(spread=spread)
    assert fits_json(alone) == fits_json(shared)
    assert fits_text(alone, everything=True) == fits_text(shared, everything=True)
