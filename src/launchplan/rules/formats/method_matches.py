"""A quantization method that is not the checkpoint's.

## Why

The checkpoint says how its weights are stored. `--quantization` may only repeat it: vLLM compares the two
names and refuses another one, `fp8` for a compressed-tensors FP8 checkpoint too. ModelOpt, GPT-OSS and
DeepSeek-V4 checkpoints decide for themselves, whatever the flag says. A checkpoint whose configuration
names no method matches none.

## Fix

Leave `quantization` out.

## References

- vLLM 0.33.0 `vllm/config/model.py:1395-1457`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.formats import choose_method
from launchplan.engines.vllm.settings.reading import text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import models, refuse, vllm_rule
from launchplan.rules.wording import cut


@vllm_rule("QNT201", "method-matches", source="config/model.py:1457")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the flag with the checkpoint."""
    chosen, asked = choose_method(view, models(view)), text(view, "quantization")
    if chosen is not None and chosen.conflict:
        stored = f"is {chosen.method}" if chosen.method else "names no method"
        message = f"quantization {cut(asked or '')}, but the checkpoint {stored}"
        yield refuse(view, "quantization", message, "leave quantization out")
