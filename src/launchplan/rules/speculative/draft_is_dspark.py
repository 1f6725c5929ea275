"""A draft model without the Markov head that DSPARK drafts with.

## Why

DSPARK refines its block of tokens by a small Markov head of the draft model; its rank stands in the draft's
configuration. A model that was not trained as a DSPARK draft has none, and SGLang ends when it sizes its
pools, after the weights are loaded.

## Fix

A DSPARK draft of the target, or an algorithm that takes any smaller model (`STANDALONE`).

## References

- SGLang 0.5.23 `model_executor/model_runner_components/spec_aux_hidden_state.py:269`,
  `speculative/dspark_components/dspark_config.py:207`, `:239`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sglang import SINCE, algorithm_of, refuse

RANKS = ("markov_rank", "dspark_markov_rank", "dspark_config.markov_rank", "dflash_config.markov_rank")
"""Keys of the configuration that SGLang reads the rank from."""


@rule(
    "SPC316",
    "draft-is-dspark",
    severity=ERROR,
    engines=("sglang",),
    since={"sglang": SINCE},
    source=f"sglang/srt/model_executor/model_runner_components/spec_aux_hidden_state.py:269 ({SINCE})",
    at="worker",
)
def check(view: SglangView) -> Iterator[Violation]:
    """Look for the rank in the draft's configuration."""
    name, draft = view.arguments["speculative_draft_model_path"], view.pool.draft
    if algorithm_of(view) != "DSPARK" or name is None or draft is None:
        return
    if not any(draft.dims.get(key) for key in RANKS):
        message = f"draft model {name} has no markov_rank, DSPARK needs one above 0"
        yield refuse(view, "speculative_draft_model_path", message, "name a DSPARK draft of this model")
