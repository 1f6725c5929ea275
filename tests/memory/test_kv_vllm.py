"""vLLM's KV cache: pages and blocks of its own planner, and figures that its logs printed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from launchplan.architecture import read_architecture
from launchplan.memory.kv.vllm import VllmCacheSettings, plan_cache
from launchplan.memory.vllm import stage_layers
from launchplan.units import GIB
from tests.memory.kit import Row, architecture, table

if TYPE_CHECKING:
    from launchplan.memory.kv.vllm.types import CacheMode

ROWS = table("caches_vllm.yaml")
QWEN = "Qwen/Qwen3.8-2.4T-A95B"
SHORT_QWEN = VllmCacheSettings(10_240, cache_mode="none", state_dtype="bfloat16")
FP8_QWEN = VllmCacheSettings(9_240, 8, cache_dtype="fp8", cache_mode="none", state_dtype="bfloat16")
LIGHTNING = VllmCacheSettings(128_000, cache_dtype="bfloat16", state_dtype="float16")


def _planned(row: Row) -> Row:
    """Give what a row of the table says, as we plan it."""
    model = architecture(row["model"])
    settings = VllmCacheSettings(
        max_model_len=4096,
        tp=row["tp"],
        dcp=row.get("dcp", 1),
        cache_dtype=row.get("dtype", "auto"),
        block_size=row.get("block_size", 16),
        state_alignment=row.get("state_alignment", 1),
    )
    held = stage_layers(len(model.layers), row.get("pp", 1))[row.get("stage", 0)]
    plan = plan_cache(model, settings, list(held)[: row.get("layers", len(held))])
    assert plan is not None
    caches: dict[str, list[int]] = {}
    for cache in plan.caches:
        counted = caches.setdefault(cache.kind, [0, 0])
        counted[0] += 1
        counted[1] += cache.page_bytes
    planned: Row = {"block": plan.block_tokens, "caches": caches}
    if "available" in row:
        planned |= {"groups": len(plan.groups), "blocks": plan.blocks(row["available"])}
    return planned


def test_pages_and_blocks_agree_with_the_engine() -> None:
    wrong = []
    for row in ROWS:
        planned = _planned(row)
        expected = {key: row[key] for key in planned}
        if planned != expected:
            wrong.append((row, planned))
    assert wrong == []


@pytest.mark.parametrize(
    ("checkpoint", "settings", "available", "block", "tokens", "concurrency"),
    [
        (QWEN, SHORT_QWEN, int(46.5 * GIB), 1056, 394_633, 38.54),
        ("moonshotai/Kimi-K3", None, 1_860_000_000, 768, 1_054_602, 1.01),
        (
            "google/gemma-4-31B-it",
            VllmCacheSettings(32_768, 4, in_flight_tokens=16_384),
            16 * GIB,
            16,
            132_784,
            4.05,
        ),
        (
            "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4",
            LIGHTNING,
            int(23.35 * GIB),
            1072,
            3_806_000,
            29.73,
        ),
        (
            "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4",
            LIGHTNING,
            int(9.35 * GIB),
            1072,
            1_524_000,
            11.91,
        ),
        (
            "Qwen/Qwen3.8-27B",
            VllmCacheSettings(262_144, 2, cache_dtype="fp8"),
            int(14.62 * GIB),
            1568,
            920_517,
            3.51,
        ),
    ],
)
def test_logged_figures_come_out(
    checkpoint: str,
    settings: VllmCacheSettings | None,
    available: int,
    block: int,
    tokens: int,
    concurrency: float,
) -> None:
    kimi = VllmCacheSettings(1_048_576, 16, dcp=8, cache_dtype="fp8", cache_mode="none")
    plan = plan_cache(architecture(checkpoint), settings or kimi)
    assert plan is not None
    blocks = plan.blocks(available)
    assert (plan.block_tokens, plan.tokens(blocks)) == (block, tokens)
    assert plan.concurrency(blocks) == pytest.approx(concurrency, abs=0.005)


def test_requests_of_qwen38_at_9240_tokens() -> None:
    plan = plan_cache(architecture(QWEN), FP8_QWEN)
    assert plan is not None
    assert plan.block_bytes == 12_435_456
    assert plan.blocks_per_request() == 12
    assert int(plan.concurrency(plan.blocks(int(70.34 * GIB)))) == 506
    # The same pool at the model's full length.
    assert plan.concurrency(plan.blocks(int(70.34 * GIB)), 262_144) == pytest.approx(24.1, abs=0.01)


@pytest.mark.parametrize(("mode", "blocks"), [("none", 12), ("align", 15), ("all", 36)])
def test_state_takes_blocks_by_mode(mode: CacheMode, blocks: int) -> None:
    settings = replace(FP8_QWEN, cache_mode=mode)
    plan = plan_cache(architecture(QWEN), settings)
    assert plan is not None
    assert plan.blocks_per_request() == blocks


def test_draft_adds_layers_and_states() -> None:
    plain = plan_cache(architecture(QWEN), VllmCacheSettings(9_240, 8, cache_mode="none"))
    drafted = plan_cache(
        architecture(QWEN),
        VllmCacheSettings(9_240, 8, cache_mode="none", draft_layers=1, speculative_tokens=3),
    )
    assert plain is not None
    assert drafted is not None
    assert len(drafted.caches) == len(plain.caches) + 1
    # Each of three groups of states keeps one more block a drafted token.
    assert drafted.blocks_per_request() >= plain.blocks_per_request() + 9


def test_context_parallel_shares_tokens_but_not_state() -> None:
    whole = plan_cache(architecture("moonshotai/Kimi-K3"), VllmCacheSettings(1_048_576, 8, cache_mode="none"))
    shared = plan_cache(
        architecture("moonshotai/Kimi-K3"), VllmCacheSettings(1_048_576, 8, dcp=8, cache_mode="none")
    )
    assert whole is not None
    assert shared is not None
    assert whole.block_bytes == shared.block_bytes
    assert shared.blocks_per_request() - 3 == -(-(whole.blocks_per_request() - 3) // 8)


def test_unknown_sizes_have_no_plan() -> None:
    settings = VllmCacheSettings(4096)
    assert plan_cache(architecture("Qwen/Qwen3-8B"), VllmCacheSettings(4096, cache_dtype="new")) is None
    config = {"architectures": ["DeepseekV3ForCausalLM"], "num_hidden_layers": 2, "first_k_dense_replace": 1}
    assert plan_cache(read_architecture(config), settings) is None


def test_layers_that_share_a_cache_have_none() -> None:
    model = architecture("google/gemma-4-31B-it")
    plain = plan_cache(model, VllmCacheSettings(4096))
    assert plain is not None
    assert len(plain.caches) == len(model.layers)
