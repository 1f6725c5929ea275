"""Fused query, key and value weights that were interleaved for another split.

## Why

MiMo-V2 checkpoints store the fused projection interleaved for as many ranks as there are KV heads. SGLang
takes only attention sizes that divide that number.

## Fix

Choose tp, dp and context sizes that leave a divisor of the KV heads for attention.

## References

- SGLang 0.5.23 `arg_groups/model_hook.py:573`; `configs/model_config.py:124`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import first_class, refuse, sglang_rule


@sglang_rule("PAR316", "fused-projection-split", source="model_hook.py:585")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the attention ranks with the interleaving."""
    model = view.architecture
    if model is None or first_class(view) != "MiMoV2ForCausalLM" or view.arguments["encoder_only"]:
        return
    if model.dims.get("attention_projection_layout") != "fused_qkv":
        return
    ranks, made_for = view.settings.attention_tp, model.num_key_value_heads
    if ranks and made_for and made_for % ranks:
        message = f"attention over {ranks} ranks: the fused projection is interleaved for {made_for}"
        yield refuse(view, "tp_size", message, f"use a divisor of {made_for} for attention")
