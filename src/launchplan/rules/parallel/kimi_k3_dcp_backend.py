"""Kimi-K3 with decode context parallelism and another attention backend than it has one in.

## Why

Kimi-K3 decodes with decode context parallelism in CuteDSL's attention on NVIDIA GPUs, in aiter on AMD's.
SGLang takes CuteDSL by itself when no decode backend is chosen, and refuses any other.

## Fix

Leave the attention backend to SGLang, or leave `--dcp-size` out.

## References

- SGLang 0.5.23 `arg_groups/model_overrides/kimi_k3.py:37`, `:58`, `:110`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import first_class, refuse, sglang_rule

MODEL = "KimiK3ForConditionalGeneration"
RAGGED = "SGLANG_RAGGED_VERIFY_MODE"


@sglang_rule("PAR314", "kimi-k3-dcp-backend", source="model_overrides/kimi_k3.py:110")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the chosen decode backend with the one that shares its cache."""
    held = view.after("memory.budget")
    if first_class(view) != MODEL or held.dcp_size <= 1:
        return
    backend = held.decode_backend
    name = "decode_attention_backend" if held.decode_attention_backend else "attention_backend"
    nvidia = view.gpu is not None and view.gpu.vendor == "nvidia"
    if backend == "aiter" and nvidia:
        message = f"dcp on Kimi-K3 needs decode backend cutedsl_mla; aiter does not run on {view.gpu_id}"
        yield refuse(view, name, message, "leave attention backends out")
    elif backend not in {None, "cutedsl_mla", "aiter"}:
        message = f"dcp on Kimi-K3 needs decode backend cutedsl_mla, not {backend}"
        yield refuse(view, name, message, "leave attention backends out")
    mode = view.env.get(RAGGED, "static")
    if held.speculative_algorithm == "DSPARK" and mode != "static":
        message = f"dcp on Kimi-K3 with DSPARK needs {RAGGED} static, not {mode}"
        yield refuse(view, RAGGED, message, f"unset {RAGGED}")
