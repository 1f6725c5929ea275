"""A draft model on another number of ranks.

## Why

The draft runs on one rank, or on all ranks of the model; nothing between. The key is
`draft_tensor_parallel_size`: `tensor_parallel_size` is refused here.

## Fix

Leave the key out: the draft then runs on all ranks.

## References

- vLLM 0.33.0 `vllm/config/speculative.py:1866`, `:1941`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import speculative
from launchplan.engines.vllm.settings.speculative import WITHOUT_MODEL
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("SPC203", "draft-ranks", source="config/speculative.py:1866")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the draft's ranks with the model's."""
    config, spec, tp = speculative(view) or {}, view.settings.spec, view.settings.parallel.tp
    asked = config.get("draft_tensor_parallel_size")
    if config.get("tensor_parallel_size") is not None:
        message = "speculative-config has no key tensor_parallel_size"
        fix = "use draft_tensor_parallel_size, or leave it out"
        yield refuse(view, "speculative_config", message, fix, source="config/speculative.py:1941")
    elif (
        spec is not None
        and spec.method not in WITHOUT_MODEL
        and isinstance(asked, int)
        and asked not in {1, tp}
    ):
        message = f"the draft model runs on 1 rank or on all {tp}, not on {asked}"
        yield refuse(view, "speculative_config", message, f"use 1 or {tp}")
