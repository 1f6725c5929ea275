"""`launchplan memory --json` and `api.memory` say the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from launchplan import api

Runner = Callable[..., Any]


def test_json_is_what_the_library_gives(launchplan: Runner, files: Path) -> None:
    ran = launchplan("memory", "fine.yaml", "--json")
    assert (ran.code, ran.err) == (0, "")
    printed = json.loads(ran.out)
    assert (printed["format"], printed["unknown"]) == (1, [])
    (shown,) = printed["pools"]
    (pool,) = api.memory(files / "fine.yaml").pools
    budget, capacity = pool.memory.budget, pool.memory.capacity
    assert shown["total_bytes"] == budget.device.total_bytes
    assert {each["name"]: each["bytes"] for each in shown["terms"]} == {
        each.name: each.bytes.value for each in (*budget.terms, budget.pool, budget.unused)
    }
    assert sum(shown["parameter_bytes_by_class"].values()) == shown["parameter_bytes"]
    assert shown["capacity"]["pool_tokens"]["value"] == capacity.pool_tokens.value
    assert shown["bound"]["batch"] == int(capacity.concurrency[0].requests.value)
    assert shown["cold_start"]["rate_origin"] == "unknown"


def test_a_pool_that_is_not_known_is_named(files: Path) -> None:
    report = api.memory(files / "fine.yaml", set=["hardware.gpu=nothing"])
    assert (report.pools, report.unknown) == ((), ("serve",))


def test_storage_of_the_cluster_sets_the_rate(launchplan: Runner, tmp_path: Path) -> None:
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text("launchplan: 1\nname: site\nstorage: {read_gigabytes_per_s: 2}\n", "utf-8")
    ran = launchplan("memory", "fine.yaml", "--cluster", str(cluster))
    budget, _, start = ran.out.partition("cold start: ")
    assert budget == launchplan("memory", "fine.yaml").out.partition("cold start: ")[0]
    assert start == (
        "16 GB a node at 2.0 GB/s (cluster file) in 8 s\n"
        "  1.8 min in all (0.7 to 4.6): start and graph capture is the bottleneck\n"
    )
