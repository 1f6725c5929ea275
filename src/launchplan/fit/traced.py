"""Stages that remember which facts of a layout a rule has read.

A rule is a function of the stage that it is given. When it reads only `tp` and the model, its verdict on one
layout holds for every layout with this `tp`. So that no rule has to say what it reads, and a new one is
known without a word here, it is run on stages of the same classes whose attributes keep a record. What each
attribute follows from stands in `fit.facts`; one that does not stand there counts as all facts: the verdict
then holds for one layout only, which is slow and never wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from launchplan.engines.arguments import Arguments
from launchplan.engines.sglang.view import SglangView
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.view import VllmView
from launchplan.fit import facts
from launchplan.fit.facts import ALL, Mask
from launchplan.resolve import Resolved, ResolvedPool

T = TypeVar("T")
_WHOLE = frozenset({"__dict__", "__pydantic_fields_set__", "model_dump", "model_dump_json", "model_copy"})
"""Attributes of a pydantic model that give every field at once."""


class Tracer:
    """Makes traced copies of stages, and holds what was read from them since it was last asked."""

    def __init__(self) -> None:
        """Start with nothing read."""
        self._mask: Mask = 0
        self._classes: dict[type, type] = {}

    def take(self) -> Mask:
        """Give the facts that were read since the last time."""
        mask, self._mask = self._mask, 0
        return mask

    def read(self, mask: Mask) -> None:
        """Note that facts were read."""
        self._mask |= mask

    def resolved(self, resolved: Resolved) -> Resolved:
        """Trace a resolved recipe with its pools."""
        pools = tuple(self.pool(each) for each in resolved.pools)
        return self._copy(resolved, pools=pools, deployment=pools[0].deployment)

    def pool(self, pool: ResolvedPool) -> ResolvedPool:
        """Trace a pool, its GPU, its sizes, and the recipe behind it."""
        deployment = pool.deployment
        recipe = deployment.recipe.value
        parts = {
            "parallel": self._copy(recipe.parallel),
            "serve": self._copy(recipe.serve),
            "hardware": self._copy(recipe.hardware),
        }
        loaded = self._copy(deployment.recipe, value=self._copy(recipe, **parts))
        return self._copy(
            pool,
            deployment=self._copy(deployment, recipe=loaded),
            gpu=self._copy(pool.gpu) if pool.gpu else None,
            parallel=self._copy(pool.parallel),
            serve=self._copy(pool.serve),
        )

    def view(self, view: EngineView) -> EngineView:
        """Trace one engine process: its arguments, and what the engine resolves from them."""
        parts: dict[str, Any] = {"pool": self.pool(view.pool), "arguments": self._arguments(view)}
        if isinstance(view, VllmView):
            settings = view.settings
            parts["settings"] = self._copy(settings, parallel=self._copy(settings.parallel))
        if isinstance(view, SglangView):
            parts["resolution"] = self._resolution(view, parts["arguments"])
        return self._copy(view, **parts)

    def _resolution(self, view: SglangView, arguments: Arguments) -> Any:
        resolution = view.resolution
        seen = {id(now): now for now in (resolution.settings, *resolution.after.values())}
        copies = {key: self._copy(now) for key, now in seen.items()}
        given = resolution.given
        return self._copy(
            resolution,
            settings=copies[id(resolution.settings)],
            after={step: copies[id(now)] for step, now in resolution.after.items()},
            given=self._copy(given, arguments=arguments.values) if given else None,
        )

    def _arguments(self, view: EngineView) -> Arguments:
        held, table = view.arguments, facts.flags_of(view.engine)
        return self._copy(
            held, values=_Traced(self, held.values, table), given=_Traced(self, held.given, table)
        )

    def _copy(self, value: T, /, **parts: Any) -> T:
        """Copy a frozen value into its traced class; `parts` are attributes that are traced themselves."""
        made: Any = object.__new__(self._class(type(value)))
        if isinstance(value, BaseModel):
            object.__setattr__(made, "__dict__", {**value.__dict__, **parts})
            for name in ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__"):
                object.__setattr__(made, name, getattr(value, name))
            return cast(T, made)
        for each in fields(value):  # type: ignore[arg-type]
            object.__setattr__(made, each.name, parts.get(each.name, getattr(value, each.name)))
        return cast(T, made)

    def _class(self, plain: type) -> type:
        if plain not in self._classes:
            self._classes[plain] = _traced_class(plain, self)
        return self._classes[plain]


def _traced_class(plain: type, tracer: Tracer) -> type:
    """Make a subclass that notes what the attributes that are read follow from."""
    masks = facts.attributes_of(plain)
    whole: Mask = 0
    for mask in masks.values():
        whole |= mask
    if issubclass(plain, BaseModel):
        masks = {**masks, **dict.fromkeys(_WHOLE, whole)}

    inherited: Any = plain.__getattribute__

    def read(self: Any, name: str) -> Any:
        mask = masks.get(name)
        if mask:
            tracer.read(mask)
        return inherited(self, name)

    return type(plain.__name__, (plain,), {"__slots__": (), "__getattribute__": read, "__module__": __name__})


class _Traced(Mapping[str, Any]):
    """A mapping of flags that notes which of them are read."""

    def __init__(self, tracer: Tracer, held: Mapping[str, Any], table: Mapping[str, Mask]) -> None:
        self._tracer, self._held, self._table = tracer, held, table

    def __getitem__(self, name: str) -> Any:
        self._tracer.read(self._table.get(name, 0))
        return self._held[name]

    def __contains__(self, name: object) -> bool:
        self._tracer.read(self._table.get(str(name), 0))
        return name in self._held

    def __iter__(self) -> Iterator[str]:
        self._tracer.read(ALL)
        return iter(self._held)

    def __len__(self) -> int:
        self._tracer.read(ALL)
        return len(self._held)
