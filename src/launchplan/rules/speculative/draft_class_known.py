"""The draft model's class is not one that vLLM drafts with by this method.

## Why

For `eagle` and `eagle3` vLLM puts the method before the name of the draft's class: `LlamaForCausalLM` becomes
`EagleLlamaForCausalLM` or `Eagle3LlamaForCausalLM`. The class of that name has to be in its registry, and
transformers has none of them. An EAGLE-3 draft that is named as `eagle` becomes a class that nobody has.
`mtp` drafts with MTP layers alone, never with a whole model.

## Fix

The method that the draft was made for: `eagle3` for a class whose name ends in `Eagle3`, `draft_model` for a
smaller model of the same family.

## References

- vLLM 0.33.0 `vllm/transformers_utils/configs/eagle.py:41`, `vllm/config/speculative.py:1526`,
  `:1499`, `vllm/model_executor/models/registry.py:1249`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.architecture import Architecture
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.engine.class_known import OWN_CHOICE
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

_RENAMED = frozenset({"eagle", "eagle3"})
_GENERATES = "ForCausalLM"
"""Part of the names that are judged: drafts in a format of their own are read by another configuration."""


@vllm_rule("SPC209", "draft-class-known", source="model_executor/models/registry.py:1249")
def check(view: VllmView) -> Iterator[Violation]:
    """Look the draft's class up under the name that the method gives it."""
    spec, facts = view.settings.spec, catalog.loadable(view.engine, view.pool.deployment.version)
    if spec is None or spec.draft is None or facts is None:
        return
    if spec.method == "mtp" and spec.layers is None and view.arguments["model_impl"] in OWN_CHOICE:
        yield from _whole_model(view, spec.draft)
    if spec.method not in _RENAMED:
        return
    name = spec.architecture
    if name is None or name in facts.classes or spec.draft.model_type == "eagle":
        return
    own = next(iter(spec.draft.architectures), "")
    if _GENERATES in own:
        message = f"vLLM loads a draft {own} as {name} by {spec.method}, and has no such class"
        fix = "set method: eagle3" if own.endswith("Eagle3") else "take a draft made for this method"
        yield refuse(view, "speculative_config", message, fix)


def _whole_model(view: VllmView, draft: Architecture) -> Iterator[Violation]:
    """Say of a model that generates by itself that it holds no MTP layers of another."""
    name = next(iter(draft.architectures), "")
    if name.endswith(_GENERATES) and not (draft.model_type or "").endswith("mtp"):
        message, source = (
            f"mtp drafts with MTP layers, and {name} is a whole model",
            "config/speculative.py:1499",
        )
        yield refuse(view, "speculative_config", message, "set method: draft_model", source=source)
