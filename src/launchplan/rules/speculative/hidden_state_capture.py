"""Capture of hidden states that is asked for in a way that does not work.

## Why

With `enable-return-aux-hidden-states` the speculative algorithm only names the convention by which layers are
captured; nothing is drafted. It takes EAGLE3, DFLASH or DSPARK, no draft model and one pipeline stage.

## Fix

Remove the draft model, or the capture.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:700`-`:748`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

CAPTURE = "enable_return_aux_hidden_states"
LAYERS = "return_aux_hidden_state_layer_ids"
METHODS = ("EAGLE3", "DFLASH", "DSPARK")


@sglang_rule("SPC311", "hidden-state-capture", source="validation_hook.py:710")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the capture with what it needs."""
    given = view.arguments
    layers, method = given[LAYERS], (given["speculative_algorithm"] or "").upper()
    if not given[CAPTURE]:
        if layers is not None:
            message = "return-aux-hidden-state-layer-ids needs enable-return-aux-hidden-states"
            yield refuse(view, LAYERS, message, "add enable-return-aux-hidden-states")
        return
    if method not in METHODS:
        message = f"enable-return-aux-hidden-states needs speculative-algorithm {', '.join(METHODS)}"
        yield refuse(view, CAPTURE, message, "use speculative-algorithm EAGLE3")
    if given["speculative_draft_model_path"] is not None:
        message = "enable-return-aux-hidden-states takes no speculative-draft-model-path"
        yield refuse(view, CAPTURE, message, "remove speculative-draft-model-path")
    if given["pp_size"] != 1:
        message = f"enable-return-aux-hidden-states needs pp 1, not {given['pp_size']}"
        yield refuse(view, CAPTURE, message, "use pp 1")
    if method in METHODS[1:] and not layers:
        message = f"enable-return-aux-hidden-states with {method} needs return-aux-hidden-state-layer-ids"
        yield refuse(view, CAPTURE, message, "add return-aux-hidden-state-layer-ids")
    elif layers is not None and (not layers or min(layers) < 0 or len(set(layers)) != len(layers)):
        message = "return-aux-hidden-state-layer-ids must be different numbers from 0"
        yield refuse(view, LAYERS, message, "name each layer once")
