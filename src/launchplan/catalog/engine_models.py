"""What one release of an engine does with which model class, quantization method and connector."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Literal

from launchplan.catalog.base import Fact, Sourced
from launchplan.catalog.load import DATA, newest_not_above, read_fact

Trait = Literal[
    "attention_free", "draft", "hc_sp", "hybrid", "lora", "multimodal", "noops", "pooling", "pp", "replayssm"
]


class ModelClass(Fact):
    """A class of the engine's registry and what it supports or is."""

    name: str
    traits: tuple[Trait, ...] = ()


class Method(Fact):
    """A quantization method.

    `capability` is the least compute capability, as 75 for 7.5. `without_config` says what happens when the
    checkpoint has no quantization config: the weights are quantized at load (`online`), the method's defaults
    serve, a `file` is looked for, or the method has `arguments` that nothing gives.
    """

    name: str
    capability: int
    dtypes: tuple[str, ...]
    without_config: Literal["online", "default", "file", "arguments"]
    deprecated: bool = False


class Connector(Fact):
    """A KV connector; `hybrid` ones go with the hybrid KV cache manager."""

    name: str
    hybrid: bool = False


class Mtp(Fact):
    """The draft class of a model type or class, and where its layers are counted."""

    draft: str
    model_types: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    keys: tuple[str, ...] = ("num_nextn_predict_layers",)
    fixed: int | None = None
    """Layers that the engine takes whatever the configuration says."""
    default: int | None = None
    """Layers where the configuration doesn't count them."""
    needs_layers: bool = False
    """There is no draft at all where the configuration counts none."""


class EngineModels(Sourced):
    """Model classes, methods and connectors of one release."""

    engine: Literal["vllm"]
    version: str
    mla_model_types: tuple[str, ...]
    default_experts: Mapping[str, int]
    breakable_cudagraph: tuple[str, ...]
    attention_backends: tuple[str, ...]
    kv_connectors: tuple[Connector, ...]
    quantization: tuple[Method, ...]
    mtp: tuple[Mtp, ...]
    dropped: Mapping[str, str] = {}
    """Classes that are gone, with the last release that had them."""
    classes: tuple[ModelClass, ...]

    @cached_property
    def _classes(self) -> dict[str, frozenset[str]]:
        return {each.name: frozenset(each.traits) for each in self.classes}

    @cached_property
    def _methods(self) -> dict[str, Method]:
        return {each.name: each for each in self.quantization}

    def traits(self, name: str) -> frozenset[str] | None:
        """Return what a class supports, None for one that is not in the registry."""
        return self._classes.get(name)

    def method(self, name: str) -> Method | None:
        """Return the quantization method of this name."""
        return self._methods.get(name)

    def mtp_of(self, model_type: str | None, name: str | None) -> Mtp | None:
        """Return how a model type or class drafts with its own layers."""
        return next(
            (each for each in self.mtp if model_type in each.model_types or name in each.classes), None
        )


@cache
def engine_models(engine: str, version: str) -> EngineModels | None:
    """Return the facts of the newest known release that is not newer than the asked one, or None."""
    path = newest_not_above(DATA / "engine_models", engine, version)
    return read_fact(EngineModels, path) if path is not None else None
