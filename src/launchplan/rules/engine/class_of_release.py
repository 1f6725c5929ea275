"""The release is older than the engine's support for the model.

## Why

`architectures` in `config.json` names the class that the engine looks up in its registry. A release from
before the class was added ends at its start with `Model architectures [...] are not supported for now`, or
over a model type that it can't read. Where a transformers that the release allows has a class of that name,
the engine may run that one; nothing is said then. Builds between releases are not judged.

## Fix

The release that the finding names, or a newer one; many models want a newer one still for speed or format.

## References

- The registries in the wheels of vLLM since 0.6.3 (`vllm/model_executor/models/registry.py`) and of SGLang
  since 0.4.0 (`sglang/srt/models`), at PyPI, with the transformers that each release asks for
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.engines.view import EngineView
from launchplan.rules.engine.class_known import OWN_CHOICE
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "ENG123",
    "class-of-release",
    severity=ERROR,
    source={
        "vllm": "vllm/model_executor/models/registry.py of each release",
        "sglang": "sglang/srt/models/registry.py of each release",
    },
    at={"vllm": "config", "sglang": "worker"},
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the release with the first that has one of the classes."""
    model, version = view.architecture, view.pool.deployment.version
    history = catalog.class_history(view.engine)
    if model is None or history is None or view.arguments["model_impl"] not in OWN_CHOICE:
        return
    names = model.architectures
    if not names or not all(history.is_too_old(version, name) for name in names):
        return
    if not any(history.may_be_lent(version, name) for name in names):
        first = history.first(names[0])
        message = f"{view.engine} {version} has no class {names[0]}; it came with {first}"
        yield Violation(message, ("engine", "version"), f"use {view.engine} {first} or newer")
