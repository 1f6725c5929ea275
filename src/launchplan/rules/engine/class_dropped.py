"""A model class that this version does not have any more.

## Why

vLLM drops classes that nobody maintains, and says which release had them last. A checkpoint that names only
such classes is refused before anything is loaded.

## Fix

Use the release that is named, or another engine.

## References

- vLLM 0.33.0 `vllm/model_executor/models/registry.py:841`, `:1249`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import models, vllm_rule


@vllm_rule("ENG217", "class-dropped", source="model_executor/models/registry.py:1249")
def check(view: VllmView) -> Iterator[Violation]:
    """Look the classes up."""
    facts, model = models(view), view.architecture
    names = model.architectures if model else ()
    last = next((facts.dropped[name] for name in names if name in facts.dropped), None)
    if last is not None and not any(facts.traits(name) is not None for name in names):
        message = f"vllm {view.pool.deployment.version} has no {names[0]} any more"
        yield Violation(message, ("model",), f"use vllm {last}, the last release that had it")
