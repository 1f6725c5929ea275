"""Deterministic inference on a backend that is not deterministic.

## Why

Only some attention backends give the same result whatever else is in the batch; models with latent
attention have fewer, since theirs must also serve the radix cache.

## Fix

Leave `--attention-backend` out.

## References

- SGLang 0.5.23 `arg_groups/overrides.py:1117`; `arg_groups/attention_hook.py:643`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import classes
from launchplan.engines.sglang.settings.attention import DETERMINISTIC, RADIX_DETERMINISTIC
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

LATENT = classes.DETERMINISTIC_DEEPSEEK | {"Glm5NextForConditionalGeneration"}


@sglang_rule("ENG304", "deterministic-backend", source="overrides.py:1117")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the backend with those that are deterministic."""
    given, held = view.given, view.after("attention.deterministic")
    if given is None or not held.enable_deterministic_inference:
        return
    backend, latent = held.attention_backend, given.model.name in LATENT
    fix = "leave attention-backend out"
    if backend not in DETERMINISTIC or (latent and backend not in RADIX_DETERMINISTIC):
        what = f"{given.model.name} on attention backend" if backend in DETERMINISTIC else "attention backend"
        yield refuse(view, "attention_backend", f"{what} {backend} is not deterministic", fix)
    elif latent and backend == "fa4" and given.major not in {10, 11}:
        message = f"deterministic {given.model.name} on fa4 needs compute capability 10.x or 11.x"
        yield refuse(view, "attention_backend", message, fix)
