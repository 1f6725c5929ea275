"""N-gram look-up whose shortest match is longer than its longest.

## Why

N-gram drafting looks for the last tokens earlier in the text, first the longest match, then shorter ones.
Where one bound is left out it is the other.

## Fix

Make `prompt_lookup_min` at most `prompt_lookup_max`.

## References

- vLLM 0.33.0 `vllm/config/speculative.py:1323`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import speculative
from launchplan.engines.vllm.settings.speculative import NGRAM
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("SPC204", "ngram-bounds", source="config/speculative.py:1323")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the bounds."""
    config, spec = speculative(view) or {}, view.settings.spec
    least, most = config.get("prompt_lookup_min"), config.get("prompt_lookup_max")
    if spec is None or spec.method not in NGRAM or not isinstance(least, int) or not isinstance(most, int):
        return
    if least > most:
        message = f"prompt_lookup_min {least} exceeds prompt_lookup_max {most}"
        yield refuse(view, "speculative_config", message, f"use {most} or less")
