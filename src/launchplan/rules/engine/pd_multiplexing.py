"""Prefill and decode multiplexed on one GPU beside something that it does not share with.

## Why

`--enable-pdmux` splits the GPU's cores between prefill and decode. It takes whole prefills, one pipeline
stage, no disaggregation and no overlap schedule.

## Fix

Add `chunked-prefill-size: -1` and `disable-overlap-schedule`, or remove `enable-pdmux`.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:249`-`:262`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule


@sglang_rule("ENG364", "pd-multiplexing", source="validation_hook.py:253")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for what multiplexing does not share with."""
    held = view.settings
    if not view.arguments["enable_pdmux"]:
        return
    if held.pp_size != 1:
        yield refuse(view, "enable_pdmux", f"enable-pdmux needs pp 1, not {held.pp_size}", "use pp 1")
    if held.complete and held.chunked_prefill_size != -1:
        message = f"enable-pdmux needs chunked-prefill-size -1, not {held.chunked_prefill_size}"
        yield refuse(view, "enable_pdmux", message, "set chunked-prefill-size -1")
    if held.disaggregation_mode != "null":
        message = f"enable-pdmux does not work with disaggregation-mode {held.disaggregation_mode}"
        yield refuse(view, "enable_pdmux", message, "remove enable-pdmux")
    if held.complete and not held.disable_overlap_schedule:
        message = "enable-pdmux needs disable-overlap-schedule"
        yield refuse(view, "enable_pdmux", message, "add disable-overlap-schedule")
