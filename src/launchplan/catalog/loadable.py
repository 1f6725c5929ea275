"""What one release of an engine can load: model types that it reads and model classes that it builds."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Literal

from launchplan.catalog.base import Sourced
from launchplan.catalog.load import DATA, read_fact
from launchplan.catalog.version import is_same_release

GENERATING = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel", "ChatModel")
"""Endings of the classes that are listed: those of models that generate."""


class Loadable(Sourced):
    """Names that a release reads without code from the checkpoint."""

    engine: Literal["vllm", "sglang"]
    version: str
    transformers: str
    """Releases of transformers that the engine allows; the names of all of them are listed."""
    model_types: tuple[str, ...]
    """`model_type` values with a configuration class, the engine's own or that of transformers."""
    classes: tuple[str, ...]
    """Classes in the engine's registry."""
    fallbacks: tuple[str, ...]
    """Generating classes of transformers that the engine has none for, and may run by transformers' own."""

    @cached_property
    def _types(self) -> frozenset[str]:
        return frozenset(self.model_types)

    @cached_property
    def _built(self) -> frozenset[str]:
        return frozenset((*self.classes, *self.fallbacks))

    def reads(self, model_type: str) -> bool:
        """Tell whether a configuration class reads this model type."""
        return model_type in self._types

    def builds(self, name: str) -> bool | None:
        """Tell whether a class is built; None for models that do not generate."""
        if name in self._built:
            return True
        return False if name.endswith(GENERATING) else None


@cache
def loadable(engine: str, version: str) -> Loadable | None:
    """Return what exactly this release loads, None where nobody has read it: a newer one may load more."""
    for path in (DATA / "loadable").glob(f"{engine}-[0-9]*.yaml"):
        if is_same_release(version, path.stem.removeprefix(f"{engine}-")):
            return read_fact(Loadable, path)
    return None
