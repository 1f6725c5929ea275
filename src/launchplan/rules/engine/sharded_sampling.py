"""Sampling that is spread over ranks that have nothing of it.

## Why

`--enable-batch-sharded-sampling` gives each tensor parallel rank a part of the requests to sample. It needs
more than one rank, as many requests as ranks, and a limit to the log probabilities that a request may ask
for.

## Fix

Remove it, or raise tp or `max_num_seqs`.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:3215`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("ENG210", "sharded-sampling", source="config/vllm.py:3215")
def check(view: VllmView) -> Iterator[Violation]:
    """Look for something to spread."""
    name = "enable_batch_sharded_sampling"
    if not on(view, name):
        return
    tp, seqs = view.settings.parallel.tp, view.settings.max_num_seqs
    problem = None
    if tp == 1:
        problem = "has one rank only"
    elif seqs is not None and seqs < tp:
        problem = f"has {seqs} requests for {tp} ranks"
    elif count(view, "max_logprobs", -1) == -1:
        problem = "needs a limit of max-logprobs"
    elif on(view, "return_sampling_mask"):
        problem = "does not go with return-sampling-mask"
    if problem is not None:
        yield refuse(view, name, f"enable-batch-sharded-sampling {problem}", "remove it")
