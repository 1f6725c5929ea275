"""MiniMax-M3.1's packed NVFP4 experts with settings that their kernels do not take.

## Why

The checkpoint stores its projections in MXFP8 and its experts in packed NVFP4. SGLang serves them with
pages of 128 tokens, on Blackwell through the fused all-to-all kernel and an FP8 cache.

## Fix

Leave page size, cache format, all-to-all backend and drafts to SGLang.

## References

- SGLang 0.5.23 `arg_groups/model_overrides/minimax_m3.py:48`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import Given, SglangSettings, classes
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

PAGE = 128
RAGGED = "SGLANG_RAGGED_VERIFY_MODE"


@sglang_rule("QNT307", "minimax-packed-experts", source="model_overrides/minimax_m3.py:48")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the settings with what the kernels take."""
    given, held = view.given, view.after("memory.budget")
    if given is None or not given.model.packed_experts or given.model.name not in classes.MINIMAX_M3:
        return
    problem = _drafts(view, given, held) or _serving(given, held)
    if problem is not None:
        yield refuse(view, problem[0], f"packed NVFP4 experts need {problem[1]}", f"use {problem[1]}")


def _drafts(view: SglangView, given: Given, held: SglangSettings) -> tuple[str, str] | None:
    algorithm = held.speculative_algorithm
    if algorithm is None:
        return None
    needs = {
        "speculative_algorithm": ("DSPARK or DFLASH", algorithm in {"DSPARK", "DFLASH"}),
        "model": ("the vision class for drafts", given.model.name.endswith("ForConditionalGeneration")),
        "quantization": ("a Blackwell GPU for drafts", given.blackwell),
        RAGGED: (f"{RAGGED} static", view.env.get(RAGGED, "static") == "static"),
        "pp_size": ("pp-size 1 for drafts", held.pp_size == 1),
        "disaggregation_mode": ("one server", algorithm != "DFLASH" or held.disaggregation_mode == "null"),
    }
    return next(((name, what) for name, (what, kept) in needs.items() if not kept), None)


def _serving(given: Given, held: SglangSettings) -> tuple[str, str] | None:
    if held.page_size not in {None, PAGE}:
        return "page_size", f"page-size {PAGE}"
    if given.blackwell and held.moe_a2a_backend not in {"none", "megamoe"}:
        return "moe_a2a_backend", "moe-a2a-backend megamoe"
    if given.blackwell and held.kv_cache_dtype not in {"auto", "fp8_e4m3"}:
        return "kv_cache_dtype", "kv-cache-dtype fp8_e4m3"
    return None
