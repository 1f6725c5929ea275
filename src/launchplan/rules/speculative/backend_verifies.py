"""An attention backend that verifies no drafts.

## Why

`torch_native` reads the lengths of prompts for every step of several tokens, which a step that verifies
drafts does not have. The server starts, and its own warm-up ends it.

## Fix

Another `--attention-backend`, such as triton.

## References

- SGLang 0.5.23 `layers/attention/torch_native_backend.py:320`, `:101`; seen in 0.5.18 (sgl-project/sglang
  issue 36352)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sglang import algorithm_of, refuse

BACKEND = "attention_backend"
LACKING = "torch_native"


@rule(
    "SPC318",
    "backend-verifies",
    severity=ERROR,
    engines=("sglang",),
    since={"sglang": "0.5.18"},
    source="sglang/srt/layers/attention/torch_native_backend.py:320 (0.5.23)",
    at="run",
)
def check(view: SglangView) -> Iterator[Violation]:
    """Look at the backend of both phases, beside any algorithm."""
    if algorithm_of(view) not in {None, "NONE"} and view.arguments[BACKEND] == LACKING:
        message = f"attention-backend {LACKING} does not verify drafts"
        yield refuse(view, BACKEND, message, "use attention-backend triton")
