"""Prefill context parallelism in a way that the model does not have.

## Why

`--enable-prefill-cp` splits a prompt over ranks by one of two strategies, and each model implements one, if
any. DeepSeek's layouts stay on one host.

## Fix

Use the strategy and sizes that the message names, or remove `--enable-prefill-cp`.

## References

- SGLang 0.5.23 `arg_groups/parallel_hook.py:64`, `:114`-`:155`;
  `arg_groups/deepseek_v4_hook.py:160`; `arg_groups/model_overrides/deepseek_v2.py:62`, `:116`;
  `arg_groups/model_hook.py:361`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import SglangSettings, classes
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import first_class, refuse, sglang_rule

ONE_HOST = 8
HY_V4 = frozenset({"HYV4ForCausalLM", "HYV4ForCausalLMNextN"})
V4_EXCHANGES = frozenset({"none", "deepep", "megamoe", "mori"})


@sglang_rule("PAR308", "prefill-context-parallel", source="parallel_hook.py:151")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare strategy and sizes with the model's."""
    if not view.settings.enable_prefill_cp:
        return
    problem = _of_class(view)
    if problem is not None:
        yield refuse(view, "enable_prefill_cp", problem[0], problem[1])
    elif view.settings.cp_strategy is None:
        message = "enable-prefill-cp needs cp-strategy"
        yield refuse(view, "enable_prefill_cp", message, "add cp-strategy zigzag or interleave")


def _of_class(view: SglangView) -> tuple[str, str] | None:
    name, strategy, held = first_class(view), view.settings.cp_strategy, view.settings
    if name in HY_V4:
        return f"{name} has no prefill context parallelism", "remove enable-prefill-cp"
    if name == "DeepseekV4ForCausalLM":
        return _deepseek_v4(view)
    if name in classes.MIMO_V2:
        return _mimo(view)
    sparse = view.given is not None and view.given.model.is_dsa and name in classes.DEEPSEEK
    problem = _sparse(held) if sparse else None
    if problem is None and name == "DeepseekV32ForCausalLM" and strategy == "zigzag":
        problem = f"{name} does not take cp-strategy zigzag", "use cp-strategy interleave"
    if problem is None and name == "LongcatFlashForCausalLM" and held.attn_cp_size > 1:
        problem = f"{name} does not take attn-cp-size above 1", "leave attn-cp-size out"
    return problem


def _sparse(held: SglangSettings) -> tuple[str, str] | None:
    if held.tp_size > ONE_HOST:
        return f"prefill context parallelism needs tp-size of at most 8, not {held.tp_size}", "use tp-size 8"
    if held.disaggregation_mode == "decode":
        return "a decode server does no prefill", "remove enable-prefill-cp"
    return None


def _mimo(view: SglangView) -> tuple[str, str] | None:
    if view.settings.cp_strategy != "zigzag":
        return "MiMo-V2 takes cp-strategy zigzag only", "use cp-strategy zigzag"
    text = view.arguments["language_only"] or view.arguments["language_model_only"]
    if view.given is not None and view.given.model.is_multimodal and not text:
        return "MiMo-V2 does prefill context parallelism for text only", "add language-only"
    return None


def _deepseek_v4(view: SglangView) -> tuple[str, str] | None:
    held = view.settings
    if held.cp_strategy != "interleave":
        return "DeepSeek-V4 takes cp-strategy interleave only", "use cp-strategy interleave"
    if held.attn_dp_size != 1:
        return (
            f"DeepSeek-V4's prefill context parallelism needs dp 1, not {held.attn_dp_size}",
            "leave dp out",
        )
    if held.tp_size > ONE_HOST:
        return f"prefill context parallelism needs tp-size of at most 8, not {held.tp_size}", "use tp-size 8"
    backend = view.after("cuda_graph.context_parallel_prefill").moe_a2a_backend
    if backend not in V4_EXCHANGES:
        return f"prefill context parallelism does not take moe-a2a-backend {backend}", "use deepep"
    return None
