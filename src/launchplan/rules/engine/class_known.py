"""The model's class is not one that this release builds.

## Why

`architectures` in `config.json` names the class that the engine looks up in its registry. Where it is not
there, the engine falls back to the class of that name in transformers, or to the code that the checkpoint
names under `auto_map`; without any of them the model is refused. Only a configuration that was given as a
file is judged: an entry of the catalog names what was read when it was written.

## Fix

A release that has the class. A plugin that registers it serves, too, and then this finding is wrong.

## References

- vLLM 0.33.0 `vllm/model_executor/models/registry.py:1221`, `:1266`, `:1367`
- SGLang 0.5.23 `sglang/srt/model_loader/utils.py:110`, `:198`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.engines.view import EngineView
from launchplan.rules.rule import ERROR, Violation, rule

OWN_CHOICE = {None, "auto", "vllm", "sglang"}
"""Values of `--model-impl` that ask the engine's registry."""


@rule(
    "ENG119",
    "class-known",
    severity=ERROR,
    source={
        "vllm": "vllm/model_executor/models/registry.py:1249 (0.33.0)",
        "sglang": "sglang/srt/model_loader/utils.py:155 (0.5.23)",
    },
    at={"vllm": "config", "sglang": "worker"},
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look the classes up in the registry and in transformers."""
    deployment, model = view.pool.deployment, view.architecture
    facts = catalog.loadable(view.engine, deployment.version)
    config = deployment.model_source.config
    if facts is None or model is None or not model.architectures or config is None:
        return
    if config.get("auto_map") or view.arguments["hf_config_path"]:
        return
    if view.arguments["model_impl"] not in OWN_CHOICE or view.arguments["model_class_overrides"]:
        return
    if all(facts.builds(name) is False for name in model.architectures) and not _dropped(view):
        named = ", ".join(model.architectures)
        message = f"{view.engine} {deployment.version} has no class {named}, nor has transformers"
        yield Violation(message, ("model",), f"use a release of {view.engine} that has it")


def _dropped(view: EngineView) -> bool:
    """Tell whether ENG217 speaks of the class."""
    facts, model = catalog.engine_models(view.engine, view.pool.deployment.version), view.architecture
    return (
        facts is not None and model is not None and any(name in facts.dropped for name in model.architectures)
    )
