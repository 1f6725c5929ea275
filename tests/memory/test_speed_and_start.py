"""The bound of decoding above published figures, and how long a start takes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from launchplan import api, catalog
from launchplan.engines.budgets import start_of
from launchplan.memory.cold_start import Loading, cold_start, implied_rate, replicas_through_restart
from launchplan.memory.speed import Step, active_bytes, decode_bound
from launchplan.memory.weights import RankWeights
from tests.memory.kit import architecture

RECIPES = Path(__file__).parents[2] / "recipes"
SPEEDS = {
    path: figures
    for path in sorted(RECIPES.rglob("*.yaml"))
    if (figures := (yaml.safe_load(path.read_text("utf-8")).get("evidence") or {}).get("figures") or {}).get(
        "output_tokens_per_s_per_user"
    )
}
ENGINE = catalog.calibration().sglang


@pytest.mark.parametrize("path", SPEEDS, ids=lambda path: path.stem)
def test_bound_is_above_what_was_published(path: Path) -> None:
    (pool,) = api.memory(path).pools
    assert pool.bound is not None
    assert pool.bound.tokens_per_s_per_user > SPEEDS[path]["output_tokens_per_s_per_user"]
    alone = SPEEDS[path].get("output_tokens_per_s_per_user_without_mtp")
    if alone is not None:
        assert pool.bound.tokens_per_s_per_user / 4 > alone


def test_there_are_published_speeds() -> None:
    assert len(SPEEDS) >= 4


def test_a_token_reads_its_own_experts_and_no_embedding() -> None:
    model = architecture("Qwen/Qwen3-30B-A3B")
    rank = RankWeights({"embedding": 1000, "attention": 100, "experts": 1600, "lm_head": 10})
    assert active_bytes(model, rank) == 100 + 10 + 1600 * 8 // 128
    bound = decode_bound(model, [rank, rank], Step(bandwidth=42_000, drafts=1, batch=4, request_bytes=50))
    assert bound.tokens_per_s_per_user == 2 * 42_000 / 420
    assert bound.tokens_per_s == 2 * 4 * 42_000 / (210 + 100)


def test_tied_embeddings_are_read_as_the_output_layer() -> None:
    assert active_bytes(architecture("Qwen/Qwen3-0.6B"), RankWeights({"embedding": 7, "mlp": 1})) == 8


def test_the_documented_load_is_two_gigabytes_a_second() -> None:
    assert implied_rate(1_560_860_324_864, 11.2 * 60) == pytest.approx(2.32, abs=0.01)
    (pool,) = api.memory(RECIPES / "moonshotai" / "kimi-k3-16xh200-sglang.yaml").pools
    start = start_of(pool.view)
    assert start is not None
    assert start.gigabytes_per_s == pytest.approx(2.3, abs=0.05)
    assert start.bottleneck == "loading"
    assert start.total_s is not None
    assert start.total_s.value / 60 == pytest.approx(13, abs=0.5)


def test_rate_of_the_cluster_goes_first() -> None:
    start = cold_start(10**12, Loading(gigabytes_per_s=100, documented_s=600), ENGINE)
    assert (start.load_s, start.rate_origin, start.bottleneck) == (10, "cluster", "start and capture")


def test_loaders() -> None:
    assert cold_start(10**12, Loading(4, "fastsafetensors"), ENGINE).node_bytes == 25 * 10**10
    assert cold_start(10**12, Loading(4), ENGINE).node_bytes == 10**12
    assert cold_start(10**12, Loading(4, "dummy"), ENGINE).node_bytes == 0


def test_nobody_knows_the_rate() -> None:
    start = cold_start(10**12, Loading(), ENGINE)
    assert (start.load_s, start.total_s, start.bottleneck) == (None, None, None)


@pytest.mark.parametrize(("requests", "held", "replicas"), [(50, 68.9, 2), (100, 33.3, 5), (5, 0.4, None)])
def test_replicas_through_a_restart(requests: int, held: float, replicas: int | None) -> None:
    assert replicas_through_restart(requests, held) == replicas
