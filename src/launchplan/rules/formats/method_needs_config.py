"""A method for quantized weights on a checkpoint without them.

## Why

`--quantization fp8`, `mxfp4` and the `*_per_*` names quantize plain weights at load. The other methods read
how weights were stored from the checkpoint, and find nothing: AWQ, GPTQ and ModelOpt look for a file,
compressed-tensors has arguments that nobody gives.

## Fix

Leave `quantization` out, use `fp8`, or take a checkpoint in that format.

## References

- vLLM 0.33.0 `vllm/model_executor/model_loader/weight_utils.py:368`, `:380`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.formats import choose_method
from launchplan.engines.vllm.settings.reading import mapping
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import models, refuse, vllm_rule


@vllm_rule("QNT203", "method-needs-config", source="model_executor/model_loader/weight_utils.py:380")
def check(view: VllmView) -> Iterator[Violation]:
    """Look for what the method reads."""
    facts = models(view)
    chosen = choose_method(view, facts)
    method = facts.method(chosen.method) if chosen and chosen.method and not chosen.stored else None
    if method is None or method.without_config in {"online", "default"}:
        return
    if method.name == "online" and mapping(view, "quantization_config"):
        return
    message = f"quantization {method.name} reads a quantized checkpoint, this one is not quantized"
    yield refuse(view, "quantization", message, "leave it out, or use fp8 to quantize at load")
