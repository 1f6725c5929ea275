"""SGLang's pools against its own sizing, with the free memory given."""

from __future__ import annotations

import pytest

from launchplan.memory.kv.sglang import SglangPoolSettings, plan_pools, rest_bytes, slots_per_request
from launchplan.units import GIB
from tests.memory.kit import Row, architecture, table

ROWS = table("pools_sglang.yaml")


def _planned(row: Row) -> Row:
    model = architecture(row["model"])
    settings = SglangPoolSettings(
        attention_tp=row.get("tp", 1),
        attention_dp=row.get("dp", 1),
        dcp=row.get("dcp", 1),
        pp=row.get("pp", 1),
        cache_dtype=row.get("dtype", "bfloat16"),
        page_size=row.get("page", 1),
        context_length=model.derived_max_model_len or 4096,
        state_dtype=row.get("state_dtype", "float32"),
        max_state_slots=row.get("max_state_slots"),
        max_running_requests=row.get("max_running"),
        max_total_tokens=row.get("max_tokens"),
        radix_cache=row.get("radix", True),
        slots_per_request=row.get("slots_per_request", 5),
    )
    before, weights = round(row["before_gib"] * GIB), round(row["weights_gib"] * GIB)
    rest = rest_bytes(before, before - weights, row["fraction"], multimodal=model.is_multimodal)
    plan = plan_pools(model, settings, rest, range(*row["layers"]))
    assert plan is not None
    planned: Row = {
        "cell": float(plan.cell.bytes),
        "tokens": plan.tokens,
        "running": plan.max_running_requests,
    }
    if plan.window_tokens is not None:
        planned["window_tokens"] = plan.window_tokens
    if plan.state_slots is not None:
        planned["slots"] = plan.state_slots
    return planned


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['model']} tp {row.get('tp', 1)} {row['tokens']}")
def test_pools_agree_with_the_engine(row: Row) -> None:
    planned = _planned(row)
    # Weights are given to a thousandth of a GiB, which may be worth a token.
    assert planned.pop("tokens") == pytest.approx(row["tokens"], abs=1)
    assert planned == {key: row[key] for key in planned}


def test_kimi_k3_on_sixteen_h200() -> None:
    """Reach the published 308,608 tokens: 138.747 GiB before loading, 102.75 GiB of weights, a share of 0.85."""
    model = architecture("moonshotai/Kimi-K3")
    rest = rest_bytes(int(138.747 * GIB), int((138.747 - 102.75) * GIB), 0.85, multimodal=True)
    plan = plan_pools(model, SglangPoolSettings(attention_tp=16, context_length=1_048_576), rest)
    assert plan is not None
    assert plan.state_slots == 272
    assert abs(plan.tokens - 308_608) <= 1
    assert plan.state_bytes == 28_085_760
    kv_bytes = plan.tokens * plan.cell.bytes + plan.cell.fixed_bytes
    assert kv_bytes / GIB == pytest.approx(7.946, abs=0.001)
    slots = plan.state_slots + 1  # one more pads the pool
    assert slots * plan.state_bytes / GIB == pytest.approx(7.141, abs=0.001)


@pytest.mark.parametrize(
    ("radix_cache", "strategy", "overlap", "slots"),
    [
        (False, "extra_buffer", True, 1),
        (True, "extra_buffer", True, 5),
        (True, "extra_buffer", False, 4),
        (True, "extra_buffer_lazy", True, 4),
        (True, "no_buffer", False, 3),
    ],
)
def test_slots_of_a_request(*, radix_cache: bool, strategy: str, overlap: bool, slots: int) -> None:
    assert slots_per_request(radix_cache=radix_cache, strategy=strategy, overlap=overlap) == slots


def test_draft_takes_memory_of_the_states() -> None:
    model = architecture("moonshotai/Kimi-K3")
    plain = SglangPoolSettings(attention_tp=16, max_running_requests=48)
    drafted = SglangPoolSettings(attention_tp=16, max_running_requests=48, draft_tokens=4)
    before, after = (plan_pools(model, each, 16 * GIB) for each in (plain, drafted))
    assert before is not None
    assert before.state_slots is not None
    assert after is not None
    assert after.state_slots is not None
    assert after.state_slots < before.state_slots


def test_no_memory_is_no_tokens() -> None:
    plan = plan_pools(architecture("Qwen/Qwen3-8B"), SglangPoolSettings(), -1)
    assert plan is not None
    assert (plan.tokens, plan.max_running_requests) == (0, 0)


def test_unknown_dtype_has_no_plan() -> None:
    assert plan_pools(architecture("Qwen/Qwen3-8B"), SglangPoolSettings(cache_dtype="new"), GIB) is None
