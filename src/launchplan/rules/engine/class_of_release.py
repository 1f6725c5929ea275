"""The release does not have the model's class: it is older than the engine's support for it, or dropped it.

## Why

`architectures` in `config.json` names the class that the engine looks up in its registry. A release from
before the class was added ends at its start with `Model architectures [...] are not supported for now`, or
over a model type that it can't read; a few classes were missing in between, or are gone. Where a transformers
that the release allows has a class of that name, or the release one of the same stem, the engine may run that
one; nothing is said then. Builds between releases are not judged.

## Fix

A release that the finding names; many models want a newer one still for speed or format.

## References

- The registries in the wheels of vLLM since 0.4.0 (`vllm/model_executor/models/registry.py`) and of SGLang
  since 0.4.0 (`sglang/srt/models`), at PyPI, with the transformers that each release asks for
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.catalog.releases import CLASSES
from launchplan.engines.view import EngineView
from launchplan.rules.engine.class_known import OWN_CHOICE
from launchplan.rules.rule import ERROR, Violation, rule

PATH = ("engine", "version")


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
    """Look the classes up among those of the release."""
    model, version = view.architecture, view.pool.deployment.version
    classes = catalog.release_names(view.engine, CLASSES)
    if model is None or classes is None or view.arguments["model_impl"] not in OWN_CHOICE:
        return
    names = model.architectures
    if not names or not all(catalog.lacks_class(view.engine, version, name) for name in names):
        return
    before, after = classes.last_with(version, names[0]), classes.next_with(version, names[0])
    if after is None and (before is None or catalog.loadable(view.engine, version) is not None):
        return  # nobody has it; or it is gone from a release that other rules look it up in (ENG119, ENG217)
    told = _told(view.engine, before, after)
    yield Violation(f"{view.engine} {version} has no class {names[0]}; {told[0]}", PATH, f"use {told[1]}")


def _told(engine: str, before: str | None, after: str | None) -> tuple[str, str]:
    """Say which releases have the class, and which to use."""
    if before is None:
        return f"it came with {after}", f"{engine} {after} or newer"
    if after is None:
        return f"{before} was the last with it", f"{engine} {before}"
    return f"{before} had it, and {after} has it again", f"{engine} {after} or newer"
