"""What engine releases log and measure."""

from __future__ import annotations

from collections import Counter

import pytest

from launchplan.catalog.load import DATA
from launchplan.catalog.signals import Signals, signals

FILES = sorted((DATA / "signals").glob("*.yaml"))


def of_file(name: str) -> Signals:
    engine, _, version = name.rpartition("-")
    found = signals(engine, version)
    assert found is not None
    assert name == f"{found.engine}-{found.version}"
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_file_is_the_release_that_its_name_says(path: object) -> None:
    found = of_file(getattr(path, "stem", ""))
    twice = [name for name, count in Counter(each.name for each in found.metrics).items() if count > 1]
    assert twice == []
    assert {each.topic for each in found.metrics} >= {"KV cache", "preemptions", "queue", "latency"}
    assert {each.stage for each in found.log} >= {"load", "memory", "capture", "ready", "serving"}
    package = f"{found.engine}/"
    sources = [*(each.source for each in found.log), *(each.source for each in found.metrics)]
    assert all(source.startswith(package) for source in sources)
    assert {each.name.startswith(f"{found.engine}:") for each in found.metrics} == {True}


@pytest.mark.parametrize(
    ("engine", "version", "label"),
    [
        ("vllm", "0.33.0", "vllm 0.33.0"),
        ("vllm", "0.40.1", "vllm 0.33.0"),
        ("vllm", "nightly", "vllm 0.33.0"),
        ("vllm", "0.11.2", "vllm 0.33.0"),
        ("sglang", "0.5.23", "sglang 0.5.23"),
        ("trtllm", "1.0", None),
    ],
)
def test_the_nearest_release_is_taken_and_told(engine: str, version: str, label: str | None) -> None:
    found = signals(engine, version)
    assert (found.label if found else None) == label
