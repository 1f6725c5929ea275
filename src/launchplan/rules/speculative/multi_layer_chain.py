"""Several draft layers with a tree of drafts.

## Why

With `--enable-multi-layer-eagle` each draft layer gives one token of a chain. The worker asserts that the
drafts are as many as the steps and one; a tree (`--speculative-eagle-topk` above 1) has other sizes, also
where SGLang chooses them by itself, as it does for Llama.

## Fix

Set `--speculative-eagle-topk 1` with `--speculative-num-steps`.

## References

- SGLang 0.5.23 `speculative/multi_layer_eagle_worker_v2.py:150`; seen in 0.5.18 (sgl-project/sglang issue
  36536)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings.classes import WIDE_TREES
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sglang import algorithm_of, first_class, refuse

TOP_K = "speculative_eagle_topk"
TREE = 4
"""Branches that SGLang takes by itself for some classes."""


@rule(
    "SPC317",
    "multi-layer-chain",
    severity=ERROR,
    engines=("sglang",),
    since={"sglang": "0.5.18"},
    source="sglang/srt/speculative/multi_layer_eagle_worker_v2.py:150 (0.5.23)",
    at="worker",
)
def check(view: SglangView) -> Iterator[Violation]:
    """Look for a tree beside several draft layers."""
    given = view.arguments
    if not given["enable_multi_layer_eagle"] or algorithm_of(view) not in {"EAGLE", "NEXTN"}:
        return
    top = given[TOP_K]
    if top is None and given["speculative_num_steps"] is None and first_class(view) in WIDE_TREES:
        top = TREE
    if isinstance(top, int) and top > 1:
        message = f"enable-multi-layer-eagle drafts a chain, and speculative-eagle-topk is {top}"
        yield refuse(view, TOP_K, message, "use speculative-eagle-topk 1 with speculative-num-steps")
