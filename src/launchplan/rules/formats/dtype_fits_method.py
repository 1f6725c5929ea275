"""An activation type that the quantization method or the model does not compute in.

## Why

Kernels for quantized weights take 16-bit activations, those for MXFP4 bfloat16 only. A few models overflow
in float16 and are refused in it.

## Fix

Leave `dtype` out.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:939`, `vllm/config/model.py:2416`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.formats import NO_FLOAT16, choose_method, method_facts
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import models, refuse, vllm_rule
from launchplan.units import choice_text


@vllm_rule("QNT204", "dtype-fits-method", source="config/vllm.py:939")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the type with what method and model take."""
    facts, dtype = models(view), view.settings.dtype
    chosen = choose_method(view, facts)
    method = method_facts(facts, chosen) if chosen and not chosen.conflict else None
    if dtype == "float16" and view.settings.model.model_type in NO_FLOAT16:
        message = f"{view.settings.model.model_type} does not compute in float16"
        yield refuse(
            view, "dtype", message, "leave dtype out, or use bfloat16", source="config/model.py:2416"
        )
    elif method is not None and dtype is not None and dtype not in method.dtypes:
        name = chosen.method if chosen else method.name
        message = f"{name} weights do not compute in {dtype}"
        yield refuse(view, "dtype", message, f"use {choice_text(method.dtypes)}, or leave dtype out")
