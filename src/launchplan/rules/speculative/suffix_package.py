"""Suffix decoding without the package that does it.

## Why

Suffix decoding is done by Arctic Inference, which vLLM neither brings nor depends on: a plain installation
refuses the method. Its own numbers have limits too.

## Fix

Install `arctic-inference==0.1.1` in the image, or use `ngram`.

## References

- vLLM 0.33.0 `vllm/config/speculative.py:1728-1760`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("SPC205", "suffix-package", source="config/speculative.py:1728")
def check(view: VllmView) -> Iterator[Violation]:
    """Look for suffix decoding."""
    spec = view.settings.spec
    if spec is not None and spec.method == "suffix":
        message = "method suffix needs arctic-inference, which vllm does not bring"
        yield refuse(view, "speculative_config", message, "use ngram, or install arctic-inference==0.1.1")
