"""Rows of engine logs as inputs of a budget, and how far predictions are from what was printed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from statistics import median
from typing import TYPE_CHECKING

import yaml

from launchplan import catalog
from launchplan.architecture import read_architecture
from launchplan.memory.budget import Device
from launchplan.memory.capacity import Lengths, RankMemory
from launchplan.memory.kv.sglang import SglangPoolSettings, plan_pools
from launchplan.memory.kv.vllm import VllmCacheSettings, plan_cache
from launchplan.memory.sglang import SglangWeights
from launchplan.memory.sglang.budget import SglangMemory, sglang_memory
from launchplan.memory.terms import Interval
from launchplan.memory.vllm import VllmWeights
from launchplan.memory.vllm.budget import VllmMemory, captured_sizes, vllm_memory
from launchplan.units import GIB
from tests.memory.kit import HERE, Row, table

if TYPE_CHECKING:
    from launchplan.architecture import Architecture

ROWS = table("memory_truth.yaml")
DEFAULT_SHARE = 0.92
UNKNOWN_TOTAL = 80 * GIB


@dataclass(frozen=True)
class Outcome:
    """One row, predicted and printed; None where the log or the flags don't say."""

    row: Row
    weights: float | None
    tokens_from_pool: float | None
    pool: float | None
    inside: bool | None


@cache
def truth_models() -> dict[str, Row]:
    models: dict[str, Row] = yaml.load(
        (HERE / "truth_models.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader
    )
    return models


def model_of(row: Row) -> Architecture:
    own = truth_models().get(row["model"])
    if own is not None:
        return read_architecture(own)
    entry = catalog.model(row["model"])
    assert entry is not None, row["model"]
    return entry.architecture(row["model"] if entry.checkpoint(row["model"]) else None)


def outcome(row: Row) -> Outcome:
    memory = predicted(row)
    log = row["log"]
    weights = log.get("weights")
    off = None if weights is None else memory.budget.term("weights").bytes.value / GIB / weights - 1
    pool = inside = None
    if "total" in row and ("pool" in log or "tokens" in log):
        pool, inside = _pool(row, memory)
    return Outcome(row, off, _tokens_from_pool(row), pool, inside)


def _pool(row: Row, memory: RankMemory) -> tuple[float, bool]:
    if "pool" in row["log"]:
        found, true = memory.budget.pool.bytes, row["log"]["pool"] * GIB
        if "weights" in row:
            # The checkpoint is not known; its logged weights stand in for it.
            moved = memory.budget.term("weights").bytes.value - int(row["weights"] * GIB)
            share = Interval(*(end + moved for end in (found.value, found.low, found.high)))
            found = share
        return found.value / true - 1, found.low <= true <= found.high
    tokens, true = memory.capacity.pool_tokens, row["log"]["tokens"]
    return tokens.value / true - 1, tokens.low <= true <= tokens.high


def predicted(row: Row) -> RankMemory:
    found = vllm_memory(vllm_inputs(row)) if row["engine"] == "vllm" else sglang_memory(sglang_inputs(row))
    assert found is not None, row["id"]
    return found


def vllm_inputs(row: Row) -> VllmMemory:
    model = model_of(row)
    tokens, seqs = row.get("tokens", 2048), row.get("seqs", 256)
    drafts, length = row.get("mtp", 0), row.get("length", 32768)
    own = bool(drafts) and model.family == "qwen_next"
    cache_settings = VllmCacheSettings(
        max_model_len=length,
        tp=row.get("tp", 1),
        dcp=row.get("dcp", 1),
        cache_dtype=row.get("kv", "auto"),
        cache_mode="align" if row.get("prefix", True) else "none",
        in_flight_tokens=tokens * row.get("batches", 1 if row.get("old") else 2),
        speculative_tokens=drafts,
        draft_layers=1 if own else 0,
    )
    return VllmMemory(
        model=_full(model) if row.get("full_window") else model,
        device=_device(row),
        weights=VllmWeights(tp=row.get("tp", 1), mtp=own),
        cache=cache_settings,
        lengths=Lengths(length),
        utilization=row.get("share", DEFAULT_SHARE),
        batch_tokens=tokens,
        max_num_seqs=seqs,
        capture_sizes=captured_sizes(min(512, 2 * seqs * (1 + drafts))) if row.get("graphs", True) else 0,
        graphs_counted=not row.get("old", False),
        encodes=row.get("encodes", False),
    )


def _full(model: Architecture) -> Architecture:
    """Cache windowed layers whole, as engines did before they knew windows."""
    return replace(model, layers=tuple(replace(layer, attention="full") for layer in model.layers))


def sglang_inputs(row: Row) -> SglangMemory:
    model = model_of(row)
    tp = row.get("tp", 1)
    length = row.get("length", model.derived_max_model_len or 32768)
    return SglangMemory(
        model=model,
        device=_device(row),
        weights=SglangWeights(tp=tp, pp=row.get("pp", 1), ep=row.get("ep", 1)),
        pools=_pool_settings(row, length),
        lengths=Lengths(length),
        fraction=row.get("share", 0.9),
        batch_tokens=row.get("tokens", 8192),
        decode_requests=row.get("seqs", 256),
        capture_sizes=35,
        encodes=row.get("encodes", False),
    )


def _pool_settings(row: Row, length: int) -> SglangPoolSettings:
    return SglangPoolSettings(
        attention_tp=row.get("tp", 1),
        pp=row.get("pp", 1),
        cache_dtype=row.get("kv", "bfloat16"),
        context_length=length,
        max_running_requests=row.get("running"),
    )


def _device(row: Row) -> Device:
    if "total" not in row:
        return Device(UNKNOWN_TOTAL)
    return Device(
        int(row["total"] * GIB),
        as_cuda_sees_it=not row.get("driver", False),
        unified=row.get("unified", False),
    )


def _tokens_from_pool(row: Row) -> float | None:
    log = row["log"]
    if "pool" not in log or "tokens" not in log:
        return None
    available = int(log["pool"] * GIB)
    if row["engine"] == "sglang":
        inputs = sglang_inputs(row)
        pools = plan_pools(inputs.model, inputs.pools, available)
        return None if pools is None else pools.logical_tokens / log["tokens"] - 1
    plan = plan_cache(vllm_inputs(row).model, vllm_inputs(row).cache)
    return None if plan is None else plan.tokens(plan.blocks(available)) / log["tokens"] - 1


def truth_table(outcomes: list[Outcome]) -> str:
    lines = [f"{'row':8} {'weights':>8} {'tokens':>8} {'pool':>8} inside"]
    for each in outcomes:
        cells = (_percent(value) for value in (each.weights, each.tokens_from_pool, each.pool))
        inside = "" if each.inside is None else "yes" if each.inside else "no"
        lines.append(f"{each.row['id']:8} " + " ".join(f"{cell:>8}" for cell in cells) + f" {inside}")
    pools = [abs(each.pool) for each in outcomes if each.pool is not None]
    inside_share = sum(each.inside is True for each in outcomes) / len(pools)
    lines.append(f"pool from flags: median {median(pools):.1%}, inside the interval {inside_share:.0%}")
    return "\n".join(lines)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:+.2%}"


def page_table(outcomes: list[Outcome]) -> str:
    """Write the table as the page shows it, with the shares that the targets are about."""
    lines = ["| log | engine | model | weights | tokens, pool given | pool, from flags | in interval |"]
    lines.append("|---|---|---|---|---|---|---|")
    for each in outcomes:
        cells = [_percent(value) for value in (each.weights, each.tokens_from_pool, each.pool)]
        inside = "" if each.inside is None else "yes" if each.inside else "no"
        row = each.row
        lines.append(
            f"| {row['id']} | {row['engine']} | {row['model']} x {row.get('tp', 1)} | "
            + " | ".join(cells)
            + f" | {inside} |"
        )
    return "\n".join([*lines, "", *_summary(outcomes)]) + "\n"


def _summary(outcomes: list[Outcome]) -> list[str]:
    weights = [abs(each.weights) for each in outcomes if each.weights is not None]
    given = [abs(each.tokens_from_pool) for each in outcomes if each.tokens_from_pool is not None]
    pools = [abs(each.pool) for each in outcomes if each.pool is not None]
    inside = sum(each.inside is True for each in outcomes)
    return [
        f"- Weights: {len(weights)} logs, median error {median(weights):.2%}, {_within(weights, 3)}.",
        f"- Tokens from the logged pool: {len(given)} logs, {_within(given, 1)}.",
        f"- Pool from flags: {len(pools)} logs, median error {median(pools):.1%}, {inside} in the interval.",
    ]


def _within(errors: list[float], percent: int) -> str:
    return f"{sum(error <= percent / 100 for error in errors)} within {percent} %"
