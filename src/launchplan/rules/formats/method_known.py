"""A quantization method that this version does not have.

## Why

Methods come and go: `bitsandbytes` left vLLM's own tree before 0.33.0. Some are on their way out and want
`--allow-deprecated-quantization`.

## Fix

Use a method of this version, or leave it out.

## References

- vLLM 0.33.0 `vllm/config/model.py:1466`, `:1478`
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from launchplan.engines.vllm.settings.formats import choose_method
from launchplan.engines.vllm.settings.reading import on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import PLUGINS, lists_all, models, refuse, vllm_rule
from launchplan.rules.wording import shown


@vllm_rule("QNT202", "method-known", source="config/model.py:1466")
def check(view: VllmView) -> Iterator[Violation]:
    """Look the method up."""
    facts = models(view)
    chosen = choose_method(view, facts)
    name = chosen.method if chosen and not chosen.conflict else None
    if name is None:
        return
    method = facts.method(name)
    if method is None and not lists_all(facts, view):
        return
    if method is None:
        near = get_close_matches(name, [each.name for each in facts.quantization], n=1)
        other = f"did you mean {near[0]}?" if near else "take another checkpoint, or leave it out"
        fix = f"install the plug-in {PLUGINS[name]}" if name in PLUGINS else other
        yield refuse(
            view,
            "quantization",
            f"{view.pool.deployment.engine_label} has no quantization method {shown(name)}",
            fix,
        )
    elif method.deprecated and not on(view, "allow_deprecated_quantization"):
        message = f"quantization method {name} is deprecated and off"
        fix = "add allow-deprecated-quantization, or take another checkpoint"
        yield refuse(view, "quantization", message, fix, source="config/model.py:1478")
