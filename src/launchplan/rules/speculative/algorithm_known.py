"""A speculative algorithm that SGLang does not know.

## Why

`--speculative-algorithm` takes any word; the name is looked up after the arguments were read.

## Fix

Use one of the built-in algorithms. `NEXTN` is another name of `EAGLE`; Medusa, suffix decoding and plain
draft models under other names don't exist here (`STANDALONE` is the draft model).

## References

- SGLang 0.5.23 `arg_groups/speculative_hook.py:242`, `speculative/spec_info.py:39`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule
from launchplan.rules.wording import shown
from launchplan.units import choice_text

OFFERED = ("NEXTN", "EAGLE", "EAGLE3", "DFLASH", "DSPARK", "STANDALONE", "NGRAM", "UNO")
KNOWN = frozenset((*OFFERED, "FROZEN_KV_MTP", "NONE"))


@sglang_rule("SPC301", "algorithm-known", source="speculative_hook.py:242")
def check(view: SglangView) -> Iterator[Violation]:
    """Look the algorithm up."""
    asked = view.arguments["speculative_algorithm"]
    if view.arguments["enable_return_aux_hidden_states"]:
        return  # names the layers to capture instead (SPC311)
    if isinstance(asked, str) and asked.upper() not in KNOWN:
        message = f"speculative-algorithm {shown(asked)} does not exist in sglang"
        yield refuse(view, "speculative_algorithm", message, f"use {choice_text(OFFERED)}")
