"""Some of the draft sizes, but not all.

## Why

SGLang chooses steps, top-k and draft tokens of an EAGLE-like algorithm together, or takes all from the
command line. Top-k or draft tokens without steps end in a bare assertion; steps without top-k in a
comparison with None. An adaptive plan knows its own steps.

## Fix

Give `speculative-num-steps`, `speculative-eagle-topk` and `speculative-num-draft-tokens`, or none of them.

## References

- SGLang 0.5.23 `arg_groups/speculative_hook.py:1161`, `:1177`, `:1273`, `:1411`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, first_class, joins_attention_dp, refuse, sglang_rule
from launchplan.rules.speculative.draft_model_given import FAMILY, OWN_DRAFT

ADAPTIVE_STEPS = (0, 1, 3, 5, 7)
"""Steps of the built-in adaptive plan (`speculative/adaptive_spec_params.py:28`)."""
SIZES = ("speculative_eagle_topk", "speculative_num_draft_tokens")


@sglang_rule("SPC304", "draft-sizes-together", source="speculative_hook.py:1161")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for the sizes that belong together."""
    given = view.arguments
    if algorithm_of(view) not in FAMILY or first_class(view) in OWN_DRAFT:
        return
    steps, top = given["speculative_num_steps"], given["speculative_eagle_topk"]
    if _adaptive(view):
        if given["speculative_adaptive_config"] is None and steps is not None and steps not in ADAPTIVE_STEPS:
            known = ", ".join(str(step) for step in ADAPTIVE_STEPS)
            message = f"speculative-num-steps {steps} is not in the adaptive plan ({known})"
            yield refuse(view, "speculative_num_steps", message, "use one of them")
        return
    for name in SIZES:
        if steps is None and given[name] is not None:
            message = f"{name.replace('_', '-')} {given[name]} needs speculative-num-steps beside it"
            yield refuse(view, name, message, "give all three sizes, or none")
            return
    if steps is not None and top is None:
        message = f"speculative-num-steps {steps} needs speculative-eagle-topk beside it"
        yield refuse(view, "speculative_num_steps", message, "add speculative-eagle-topk 1")


def _adaptive(view: SglangView) -> bool:
    """Tell whether the adaptive plan stays on (`speculative/adaptive_spec_params.py:56`)."""
    given, held = view.arguments, view.settings
    able = algorithm_of(view) in ("EAGLE", "EAGLE3") and given["speculative_eagle_topk"] in (None, 1)
    other = joins_attention_dp(view) or held.enable_multi_layer_eagle
    other = other or given["enable_two_batch_overlap"] or given["enable_pdmux"]
    return bool(given["speculative_adaptive"]) and able and not other
