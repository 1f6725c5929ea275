"""CUDA graphs: which phases are captured, and in which sizes (`arg_groups/cuda_graph_hook.py`, 0.5.23)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from launchplan.engines.sglang.settings import classes
from launchplan.engines.sglang.settings.given import Given
from launchplan.engines.sglang.settings.types import Graph, SglangSettings, changed

DISABLED, BREAKABLE, FULL = "disabled", "breakable", "full"
CAPTURED_A2A = frozenset({"none", "deepep", "megamoe", "flashinfer"})
"""All-to-all backends that a breakable prefill graph may hold (`cuda_graph_hook.py:226`)."""
DEFAULT_PREFILL_BATCH = 2048
MUSE_GLIMMER = frozenset({"MuseGlimmerForCausalLM", "MuseGlimmerForConditionalGeneration"})
LARGEST_LIST = 65536
"""Sizes beyond this are not listed one by one; no launch asks for them."""


@cache
def prefill_sizes(largest: int) -> tuple[int, ...]:
    """List the captured token counts of prefill up to `largest` (`cuda_graph_hook.py:480`)."""
    steps = (
        *range(4, 33, 4), *range(48, 257, 16), *range(288, 513, 32), *range(576, 1025, 64),
        *range(1280, 4097, 256), *range(4608, min(largest, LARGEST_LIST) + 1, 512),
    )  # fmt: skip
    return tuple(size for size in steps if size <= largest)


@cache
def decode_sizes(largest: int, *, speculative: bool, padded: bool) -> tuple[int, ...]:
    """List the captured batch sizes of decoding up to `largest` (`cuda_graph_hook.py:500`)."""
    top = min(largest, LARGEST_LIST) + 1
    steps: Sequence[int]
    if not padded:
        steps = range(1, top)
    elif speculative:
        steps = (*range(1, 9), *range(10, 33, 2), *range(40, 65, 4), *range(72, 257, 8), *range(272, top, 16))
    else:
        steps = (1, 2, 4, 8, 12, *range(16, 257, 8), *range(272, 512, 16), *range(512, top, 32))
    sizes = tuple(size for size in steps if size <= largest)
    return sizes if largest in sizes else (*sizes, largest)


def clamp(graph: Graph, chunk: int) -> Graph:
    """Keep prefill graphs within a chunk, unless their size was given (`parallel_hook.py:344`)."""
    if not graph.on or graph.max_bs is None or graph.max_bs <= chunk or graph.max_bs_given:
        return graph
    sizes = graph.sizes if graph.sizes_given else prefill_sizes(chunk)
    return replace(graph, max_bs=chunk, sizes=sizes)


def off(graph: Graph) -> Graph:
    """Capture nothing."""
    return replace(graph, backend=DISABLED)


def without_graphs(now: SglangSettings) -> SglangSettings:
    """Capture nothing in either phase."""
    return changed(now, decode_graph=off(now.decode_graph), prefill_graph=off(now.prefill_graph))


def configure(given: Given, now: SglangSettings) -> SglangSettings:
    """Read the flags, then drop prefill graphs that would not work (`cuda_graph_hook.py:392`)."""
    stated = given["cuda_graph_config"]
    config: Mapping[str, Any] = stated if isinstance(stated, Mapping) else {}
    decode = _read(given, "decode", FULL, config.get("decode"))
    prefill = _read(given, "prefill", BREAKABLE, config.get("prefill"))
    prefill = _model_default(given, prefill)
    if now.decode_graph.backend_given:
        decode, prefill = off(decode), off(prefill)
    now = changed(now, decode_graph=decode, prefill_graph=prefill)
    return by_role(given, aligned(given, compatible(given, now)))


def _read(given: Given, phase: str, default: str, config: object) -> Graph:
    backend = default
    switched_off = given["disable_cuda_graph"] or given[f"disable_{phase}_cuda_graph"]
    if switched_off:
        backend = DISABLED
    chosen = given[f"cuda_graph_backend_{phase}"]
    backend = chosen or backend
    values = {
        "max_bs": given[f"cuda_graph_max_bs_{phase}"],
        "bs": given[f"cuda_graph_bs_{phase}"],
        "max_context_size": given["cuda_graph_prefill_max_context"] if phase == "prefill" else None,
    }
    stated = config if isinstance(config, Mapping) else {}
    values |= {key: stated[key] for key in values if key in stated}
    sizes = values["bs"]
    whole = isinstance(sizes, Sequence) and not isinstance(sizes, str)
    listed = whole and all(isinstance(size, int) for size in sizes)
    return Graph(
        backend=str(stated.get("backend", backend)),
        max_bs=_count(values["max_bs"]),
        sizes=tuple(sizes) if listed and sizes else None,
        backend_given=bool(switched_off or chosen or "backend" in stated),
        max_bs_given=values["max_bs"] is not None,
        sizes_given=sizes is not None,
        max_context=_count(values["max_context_size"]),
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _model_default(given: Given, prefill: Graph) -> Graph:
    """Apply what two model families set before graphs are settled (`cuda_graph_hook.py:349`, `:375`)."""
    name = given.model.name
    chosen = given["cuda_graph_backend_prefill"] or given["disable_prefill_cuda_graph"]
    if name in classes.INKLING and not chosen:
        return replace(prefill, backend=FULL, backend_given=True)
    if name in MUSE_GLIMMER and given["cuda_graph_max_bs_prefill"] is None:
        return replace(prefill, max_bs=prefill.max_bs or 512, max_bs_given=True)
    return prefill


def captures_context_parallel(given: Given, now: SglangSettings) -> bool:
    """Tell whether prefill context parallelism can be captured (`layers/cp/bcg/__init__.py:42`)."""
    if not now.enable_prefill_cp or now.pp_size != 1 or now.attn_cp_size != now.tp_size:
        return False
    pair = (now.cp_strategy, now.prefill_backend)
    if pair == ("interleave", "dsa"):
        alone = now.dp_size == 1 and now.ep_size == 1 and now.attn_cp_size > 1
        return alone and given.model.name == "Glm5NextForConditionalGeneration"
    return pair == ("zigzag", "trtllm_mha")


def compatible(given: Given, now: SglangSettings) -> SglangSettings:
    """Drop prefill graphs that nobody asked for by name (`cuda_graph_hook.py:136`)."""
    graph = now.prefill_graph
    if graph.backend_given or graph.backend != BREAKABLE:
        return now
    if now.pp_size > 1 or _breaks(given, now):
        return changed(now, prefill_graph=off(graph))
    return now


def _breaks(given: Given, now: SglangSettings) -> bool:
    model = given.model
    context = captures_context_parallel(given, now)
    return (
        (model.uses_kda and model.name != "Glm5NextForConditionalGeneration")
        or (model.is_deepseek_v4 and not context)
        or (now.attn_cp_size > 1 and not context)
        or now.dcp_size > 1
        or now.enable_two_batch_overlap
        or now.moe_a2a_backend not in CAPTURED_A2A
        or (model.is_multimodal and model.name not in classes.PREFILL_GRAPHS)
    )


def aligned(_given: Given, now: SglangSettings) -> SglangSettings:
    """Round prefill sizes up to eights for DeepEP (`cuda_graph_hook.py:315`)."""
    graph = now.prefill_graph
    if now.moe_a2a_backend != "deepep" or graph.backend != BREAKABLE:
        return now
    sizes = graph.sizes or prefill_sizes(graph.max_bs or DEFAULT_PREFILL_BATCH)
    rounded = tuple(sorted({(size + 7) // 8 * 8 for size in sizes}))
    if not rounded or rounded == tuple(sorted(sizes)):
        return now
    return changed(now, prefill_graph=replace(graph, sizes=rounded, max_bs=rounded[-1]))


def by_role(_given: Given, now: SglangSettings) -> SglangSettings:
    """Capture only the phase that a disaggregated server runs (`cuda_graph_hook.py:557`)."""
    if now.disaggregation_mode == "prefill" and not now.decode_graph.backend_given:
        return changed(now, decode_graph=off(now.decode_graph))
    if now.disaggregation_mode == "decode" and not now.prefill_graph.backend_given:
        return changed(now, prefill_graph=off(now.prefill_graph))
    return now


def latent_prefill(given: Given, now: SglangSettings) -> SglangSettings:
    """Drop DeepSeek-V3's prefill graphs on trtllm_mla (`cuda_graph_hook.py:279`)."""
    graph = now.prefill_graph
    if graph.backend_given or not graph.on or given.model.name != "DeepseekV3ForCausalLM":
        return now
    return changed(now, prefill_graph=off(graph)) if now.prefill_backend == "trtllm_mla" else now


def context_parallel_prefill(given: Given, now: SglangSettings) -> SglangSettings:
    """Capture prefill again where context parallelism allows it after all (`cuda_graph_hook.py:104`)."""
    asked = now.enable_prefill_cp and not now.prefill_graph.backend_given
    if not asked or not captures_context_parallel(given, now):
        return now
    now = changed(now, prefill_graph=replace(now.prefill_graph, backend=BREAKABLE))
    return aligned(given, by_role(given, compatible(given, now)))
