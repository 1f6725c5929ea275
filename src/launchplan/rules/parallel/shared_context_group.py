"""Prefill context parallelism over the tensor parallel group in a layout that can't share it.

## Why

Two hybrid model classes run prefill context parallelism on the tensor parallel group itself. The group must
be the same, the linear attention's heads must divide over it, and many features were not carried over.

## Fix

Set `attn-cp-size` to `tp-size` and the model's own `cp-strategy`, and remove what the message names.

## References

- SGLang 0.5.23 `arg_groups/cp_tp_group_sharing_hook.py:28`-`:128`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, expert_parallel_asked, first_class, refuse, sglang_rule

GLM, QWEN = "Glm5NextForConditionalGeneration", "Qwen4ExpForConditionalGeneration"
STRATEGIES = {GLM: "interleave", QWEN: "zigzag"}
"""How each class cuts the sequence."""
STAGING = "SGLANG_DISAGG_STAGING_BUFFER"


@sglang_rule("PAR351", "shared-context-group", source="cp_tp_group_sharing_hook.py:38")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the layout with what the shared group takes."""
    held, given, kind = view.settings, view.arguments, first_class(view) or ""
    if kind not in STRATEGIES or not given["enable_prefill_cp"] or held.attn_cp_size <= 1:
        return
    what = "enable-prefill-cp of this model"
    if held.attn_cp_size != held.tp_size:
        message = f"{what} needs attn-cp-size {held.tp_size} as tp-size, not {held.attn_cp_size}"
        yield refuse(view, "attn_cp_size", message, f"use attn-cp-size {held.tp_size}")
    if given["cp_strategy"] != STRATEGIES[kind]:
        message = f"{what} needs cp-strategy {STRATEGIES[kind]}, not {given['cp_strategy']}"
        yield refuse(view, "cp_strategy", message, f"use cp-strategy {STRATEGIES[kind]}")
    for name, there in (*_common(view), *(_qwen(view) if kind == QWEN else _glm(view))):
        if there:
            yield refuse(view, "enable_prefill_cp", f"{what} does not work with {name}", f"leave out {name}")
    yield from _heads(view, what)


def _common(view: SglangView) -> tuple[tuple[str, bool], ...]:
    given = view.arguments
    return (
        ("enable-dsa-cache-layer-split", bool(given["enable_dsa_cache_layer_split"])),
        (f"dcp {given['dcp_size']}", given["dcp_size"] > 1),
        ("enable-mixed-chunk", bool(given["enable_mixed_chunk"])),
        (f"moe-dp-size {given['moe_dp_size']}", given["moe_dp_size"] > 1),
        (STAGING, given["disaggregation_mode"] == "prefill" and view.env_on(STAGING)),
    )


def _qwen(view: SglangView) -> tuple[tuple[str, bool], ...]:
    given = view.arguments
    return (
        ("speculative decoding", algorithm_of(view) is not None),
        (f"ep {given['ep_size']}", expert_parallel_asked(view) > 1),
        (f"moe-a2a-backend {given['moe_a2a_backend']}", given["moe_a2a_backend"] != "none"),
        ("enable-waterfill", bool(given["enable_waterfill"])),
        (f"pp {given['pp_size']}", given["pp_size"] > 1),
        ("disaggregation-mode decode", given["disaggregation_mode"] == "decode"),
    )


def _glm(view: SglangView) -> tuple[tuple[str, bool], ...]:
    given, algorithm = view.arguments, algorithm_of(view)
    own = given["speculative_draft_model_path"] in (None, given["model_path"])
    native = algorithm == "EAGLE" and own and given["speculative_eagle_topk"] in (None, 1)
    apart = given["disaggregation_mode"] != "null"
    return (
        (f"speculative-algorithm {algorithm}", algorithm not in (None, "DFLASH") and not native),
        ("disaggregation-mode decode", given["disaggregation_mode"] == "decode"),
        ("a transfer backend other than mooncake",
         apart and given["disaggregation_transfer_backend"] not in ("mooncake", "mooncake_tcp")),
        ("disaggregation without DFLASH", apart and algorithm != "DFLASH"),
        (f"pp {given['pp_size']} and disaggregation", apart and given["pp_size"] > 1),
        (f"dp-size {given['dp_size']} and disaggregation", apart and given["dp_size"] > 1),
        (f"ep {given['ep_size']} and disaggregation", apart and expert_parallel_asked(view) > 1),
    )  # fmt: skip


def _heads(view: SglangView, what: str) -> Iterator[Violation]:
    linear = view.architecture.linear_attention if view.architecture else None
    size = view.settings.tp_size
    for name, heads in (("key", linear.num_key_heads), ("value", linear.num_value_heads)) if linear else ():
        if heads is not None and size > 0 and heads % size:
            message = f"{what}: tp-size {size} does not divide {heads} linear {name} heads"
            yield refuse(view, "tp_size", message, "use a smaller tp-size")
