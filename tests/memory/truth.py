"""Rows of engine logs as inputs of a budget, and how far predictions are from what was printed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import yaml

from launchplan import catalog
from launchplan.architecture import read_architecture
from launchplan.memory.budget import Device
from launchplan.memory.capacity import Count, Lengths, RankMemory
from launchplan.memory.kv.sglang import SglangPoolSettings, plan_pools, sizes
from launchplan.memory.kv.vllm import VllmCacheSettings, plan_cache
from launchplan.memory.sglang import SglangWeights
from launchplan.memory.sglang.budget import SglangMemory, sglang_memory
from launchplan.memory.terms import Interval
from launchplan.memory.vllm import VllmWeights
from launchplan.memory.vllm.budget import VllmMemory, vllm_memory
from launchplan.memory.vllm.graphs import capture_sizes, captured_graphs
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
    if own is not None and "of" in own:
        return read_architecture(_mixed(own))
    if own is not None:
        return read_architecture(own)
    entry = catalog.model(row["model"])
    assert entry is not None, row["model"]
    return entry.architecture(row["model"] if entry.checkpoint(row["model"]) else None)


def _mixed(own: Row) -> Row:
    """Make a checkpoint whose first MLPs are in four bits, and all other linear layers in eight."""
    entry = catalog.model(own["of"])
    assert entry is not None
    layers = {
        f"model.layers.{number}.mlp.{part}_proj": {"quant_algo": "NVFP4"}
        for number in range(own["fp4_mlp_layers"])
        for part in ("gate", "up", "down")
    }
    for part in ("mlp", "self_attn", "linear_attn"):
        layers[f"*.{part}.*"] = {"quant_algo": "FP8"}
    layers["lm_head"] = {"quant_algo": "FP8"}
    made = {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": layers}
    return {**entry.config, "quantization_config": made}


def outcome(row: Row) -> Outcome:
    memory = predicted(row)
    log = row["log"]
    weights = log.get("weights")
    held = memory.budget.term("weights").bytes.value + _old_tables(row)
    off = None if weights is None else held / GIB / weights - 1
    pool = inside = None
    if "total" in row and ("pool" in log or "tokens" in log):
        pool, inside = _pool(row, memory)
    return Outcome(row, off, _tokens_from_pool(row), pool, inside)


def _old_tables(row: Row) -> int:
    """Count the tables of rotary positions of a vLLM that made one a layer: gemma2.py before 0.6."""
    model = model_of(row)
    if not row.get("old_rotary"):
        return 0
    return (len(model.layers) - 1) * (model.max_position_embeddings or 0) * (model.head_dim or 0) * 2


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
    if row.get("counted") == "groups":
        tokens = _by_groups(row, memory)
    return tokens.value / true - 1, tokens.low <= true <= tokens.high


def _by_groups(row: Row, memory: RankMemory) -> Count:
    """Count tokens as vLLM did before 0.22: blocks over groups, times the tokens of a block."""
    inputs, blocks = vllm_inputs(row), memory.capacity.blocks
    plan = plan_cache(inputs.model, inputs.cache)
    assert plan is not None
    assert blocks is not None
    counts = (blocks.value, blocks.low, blocks.high)
    return Count(*(each // len(plan.groups) * plan.block_tokens for each in counts))


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
        draft_layers=row.get("draft_layers", 1 if own else 0),
        state_dtype=row.get("state"),
        block_size=row.get("block", 16),
    )
    sizes = capture_sizes(min(512, 2 * seqs * (1 + drafts))) if row.get("graphs", True) else ()
    return VllmMemory(
        model=_full(model) if row.get("full_window") else model,
        device=_device(row),
        weights=VllmWeights(tp=row.get("tp", 1), mtp=own),
        cache=cache_settings,
        lengths=Lengths(length),
        utilization=row.get("share", DEFAULT_SHARE),
        batch_tokens=tokens,
        max_num_seqs=seqs,
        capture_sizes=len(sizes),
        graphs=captured_graphs("FULL_AND_PIECEWISE", sizes, seqs, tokens=1 + drafts),
        graphs_counted=not row.get("old", False),
        early_graphs=row.get("old", False),
        sampler="sorts" if row.get("sorts") else "searches" if row.get("searches") else "draws",
        eager=row.get("eager", False),
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
    if "kv" in log:
        inputs = sglang_inputs(row)
        cell, _ = sizes(inputs.model, inputs.pools, tuple(range(len(inputs.model.layers))))
        return float(log["kv"] * GIB / float(cell.bytes) / log["tokens"] - 1)
    if "pool" not in log or "tokens" not in log:
        return None
    available = int(log["pool"] * GIB)
    if row["engine"] == "sglang":
        inputs = sglang_inputs(row)
        pools = plan_pools(inputs.model, inputs.pools, available)
        return None if pools is None else pools.logical_tokens / log["tokens"] - 1
    plan = plan_cache(vllm_inputs(row).model, vllm_inputs(row).cache)
    return None if plan is None else plan.tokens(plan.blocks(available)) / log["tokens"] - 1
