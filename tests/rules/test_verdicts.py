"""Layouts that real engines were given: nothing valid is refused, and what is refused has its rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan import catalog
from launchplan.finding import Severity
from launchplan.pipeline import make_plan

ENGINES = {"vllm": "0.33.0", "sglang": "0.5.23"}
SIZES = ("tp", "pp", "dp", "ep", "dcp")
SWITCHES: dict[tuple[str, str], dict[str, Any]] = {
    ("vllm", "tower"): {"mm-encoder-tp-mode": "data"},
    ("sglang", "tower"): {"mm-enable-dp-encoder": True},
    ("vllm", "eplb"): {"enable-eplb": True},
    ("sglang", "dense"): {"moe-dense-tp-size": 1},
}
VERDICTS = yaml.safe_load((Path(__file__).parent / "verdicts.yaml").read_text(encoding="utf-8"))
ROWS = [
    (engine, checkpoint, verdict, layout)
    for engine, models in VERDICTS.items()
    for checkpoint, verdicts in models.items()
    for verdict, layouts in verdicts.items()
    for layout in layouts
]


def recipe(engine: str, checkpoint: str, layout: str) -> dict[str, Any]:
    entry = catalog.model(checkpoint)
    assert entry is not None
    words = layout.split()
    given = dict(zip(words[::2], words[1::2], strict=True))
    args: dict[str, Any] = {}
    for word in given:
        args |= SWITCHES.get((engine, word), {})
    return {
        "launchplan": 1,
        "name": "case",
        "model": entry.id,
        "checkpoint": checkpoint,
        "engine": {"name": engine, "version": ENGINES[engine]},
        "hardware": {
            "gpu": given.get("on", "h200"),
            "nodes": int(given.get("nodes", 1)),
            "gpus_per_node": int(given.get("gpus", 8)),
            "fabric": "infiniband",
        },
        "parallel": {size: int(given.get(size, 1)) for size in SIZES},
        "serve": {"kv_cache_dtype": given["kv"]} if "kv" in given else {},
        "args": args,
    }


def test_there_are_enough_rows() -> None:
    assert len(ROWS) > 250
    assert len({verdict for _, _, verdict, _ in ROWS}) > 20


@pytest.mark.parametrize(("engine", "checkpoint", "verdict", "layout"), ROWS)
def test_verdict_is_the_engines(engine: str, checkpoint: str, verdict: str, layout: str) -> None:
    plan = make_plan(recipe(engine, checkpoint, layout))
    found = [finding for finding in plan.findings if finding.severity is Severity.ERROR]
    # The engines were asked without GPUs: nothing ran out of memory there, and no kernel ran.
    errors = [finding for finding in found if finding.at not in {"memory", "run"}]
    expected = [] if verdict == "accepted" else [verdict]
    assert [finding.code for finding in errors] == expected, [finding.message for finding in errors]
