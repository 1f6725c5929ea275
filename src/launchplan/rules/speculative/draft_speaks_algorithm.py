"""An EAGLE3 draft that is run as EAGLE.

## Why

EAGLE and EAGLE3 drafts read different layers of the target. SGLang does not compare the draft with the
algorithm: an EAGLE3 draft under `EAGLE` runs, and nothing that it drafts is accepted.

## Fix

Use `speculative-algorithm: EAGLE3`.

## References

- https://github.com/sgl-project/sglang/pull/21272 (accept length 1.00)
- SGLang 0.5.23 `arg_groups/speculative_hook.py:109` compares Gemma 4 drafts only
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import WARNING, Violation
from launchplan.rules.sglang import algorithm_of, refuse, sglang_rule
from launchplan.rules.wording import shown

NAMED = re.compile(r"eagle-?3(?!\d)", re.IGNORECASE)
"""How drafts say what they are; their configuration is not at hand."""


@sglang_rule(
    "SPC314",
    "draft-speaks-algorithm",
    source="speculative_hook.py:109",
    at="run",
    severity=WARNING,
    since=None,
)
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the draft's name with the algorithm."""
    path = view.arguments["speculative_draft_model_path"]
    if algorithm_of(view) == "EAGLE" and isinstance(path, str) and NAMED.search(path):
        message = f"draft {shown(path)} is named EAGLE3, the algorithm is EAGLE: nothing would be accepted"
        yield refuse(view, "speculative_algorithm", message, "use speculative-algorithm EAGLE3")
