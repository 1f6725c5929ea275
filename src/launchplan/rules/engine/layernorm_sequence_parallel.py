"""Layer norms split by sequence on a model or layout that does not gather them again.

## Why

`--enable-layernorm-sp` keeps activations split by tokens between the layers. Only two model classes gather
them where they must, over one tensor parallel group, without pipeline stages, attention data parallelism or
(but for one pair) drafts.

## Fix

Remove `enable-layernorm-sp`.

## References

- SGLang 0.5.23 `arg_groups/layernorm_sp_hook.py:28`-`:209`, `layers/layernorm_sp.py:54`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import (
    algorithm_of,
    env_number,
    first_class,
    joins_attention_dp,
    refuse,
    sglang_rule,
)

NAME = "enable_layernorm_sp"
FUSED = "enable_megamoe_for_layernorm_sp"
MUSE = "MuseSparkForConditionalGeneration"
CLASSES = frozenset({MUSE, "Qwen3ForCausalLM"})
LAYOUTS = ((4, 4), (8, 8))
ROOM = "SGLANG_OPT_DEEPGEMM_MEGA_MOE_NUM_MAX_TOKENS_PER_RANK"


@sglang_rule("ENG365", "layernorm-sequence-parallel", source="layernorm_sp_hook.py:131")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the switch with the model and the layout."""
    given, held, kind = view.arguments, view.settings, first_class(view)
    if given[FUSED] and not given[NAME]:
        message = "enable-megamoe-for-layernorm-sp needs enable-layernorm-sp"
        yield refuse(view, FUSED, message, "remove enable-megamoe-for-layernorm-sp")
    if not given[NAME]:
        return
    if kind is not None and kind not in CLASSES:
        yield _no(view, f"does not work for {kind}")
    if held.tp_size <= 1:
        yield _no(view, "needs tp-size above 1")
    if joins_attention_dp(view):
        yield _no(view, "does not work with attention data parallelism")
    drafts = algorithm_of(view)
    if drafts is not None and not (kind == MUSE and drafts == "DFLASH"):
        yield _no(view, f"does not work with speculative-algorithm {drafts}")
    if held.pp_size > 1:
        yield _no(view, f"does not work with pp {held.pp_size}")
    if given[FUSED] and kind not in (MUSE, None):
        message = f"enable-megamoe-for-layernorm-sp does not work for {kind}"
        yield refuse(view, FUSED, message, "remove enable-megamoe-for-layernorm-sp")
    if kind == MUSE:
        yield from _experts(view)


def _experts(view: SglangView) -> Iterator[Violation]:
    """Compare the expert settings with what a model of experts needs here (`layernorm_sp_hook.py:140`)."""
    given, held = view.arguments, view.settings
    fused = bool(given[FUSED])
    if (held.tp_size, held.ep_size) not in LAYOUTS:
        yield _no(view, f"needs tp 4 and ep 4 or tp 8 and ep 8, not tp {held.tp_size} and ep {held.ep_size}")
    if held.quantization != "modelopt_fp4" and not (held.quantization is None and fused):
        yield _no(view, f"needs quantization modelopt_fp4, not {held.quantization}")
    exchanges = ("none", "flashinfer") if fused else ("flashinfer",)
    if held.moe_a2a_backend not in exchanges:
        yield _no(view, f"needs moe-a2a-backend {exchanges[-1]}, not {held.moe_a2a_backend}")
    if held.moe_runner_backend != "flashinfer_trtllm":
        yield _no(view, f"needs moe-runner-backend flashinfer_trtllm, not {held.moe_runner_backend}")
    if not fused:
        if view.env_on("SGLANG_MOE_NVFP4_DISPATCH"):
            yield _no(view, "needs SGLANG_MOE_NVFP4_DISPATCH off")
        return
    if held.enable_mixed_chunk:
        yield _no(view, "with megamoe does not work with enable-mixed-chunk")
    chunk = held.chunked_prefill_size or 0
    budget, room = (chunk if chunk > 0 else held.max_prefill_tokens), env_number(view, ROOM, 8192)
    need = -(-budget // max(held.tp_size, 1))
    if held.complete and (room <= 0 or budget <= 0 or need > room):
        yield _no(view, f"with megamoe has room for {room} tokens a rank, a step takes {need}")


def _no(view: SglangView, what: str) -> Violation:
    return refuse(view, NAME, f"enable-layernorm-sp {what}", "remove enable-layernorm-sp")
