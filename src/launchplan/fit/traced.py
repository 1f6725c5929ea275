"""Stages that remember which facts of a layout a rule has read.

A rule is a function of the stage that it is given. When it reads only `tp` and the model, its verdict on one
layout holds for every layout with this `tp`. So that no rule has to say what it reads, and a new one is
known without a word here, it is run on stages of the same classes whose attributes keep a record. What each
attribute follows from stands in `fit.follows`; one that does not stand there counts as all facts: the verdict
then holds for one layout only, which is slow and never wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from launchplan.engines.arguments import Arguments
from launchplan.engines.sglang.view import SglangView
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.view import VllmView
from launchplan.fit import follows
from launchplan.fit.facts import ALL, Mask
from launchplan.fit.readings import Read
from launchplan.resolve import Resolved, ResolvedPool

T = TypeVar("T")
_set = object.__setattr__
_OWN = ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
"""What a pydantic model holds besides its fields."""
_WHOLE = frozenset({"__dict__", "__pydantic_fields_set__", "model_dump", "model_dump_json", "model_copy"})
"""Attributes of a pydantic model that give every field at once."""


class Tracer:
    """Makes traced copies of stages, and holds what was read from them since it was last asked."""

    def __init__(self) -> None:
        """Start with nothing read."""
        self._reads: dict[str, Read] = {}
        self._classes: dict[tuple[type, str], tuple[type, tuple[str, ...]]] = {}
        self._pool: tuple[ResolvedPool, ResolvedPool] | None = None
        """The last pool that was traced, and what it became: its view has it, too."""

    def take(self) -> tuple[Read, ...]:
        """Give what was read since the last time, each attribute once, in the order of reading."""
        reads, self._reads = tuple(self._reads.values()), {}
        return reads

    def read(self, name: str, mask: Mask, value: object) -> None:
        """Note that an attribute was read."""
        if name not in self._reads:
            self._reads[name] = Read(name, mask, value)

    def unnoticed(self, compute: Callable[..., Any], *values: Any) -> Any:
        """Compute something, and note nothing that is read for it."""
        kept, self._reads = self._reads, {}
        try:
            return compute(*values)
        finally:
            self._reads = kept

    def resolved(self, resolved: Resolved) -> Resolved:
        """Trace a resolved recipe with its pools."""
        pools = tuple(self.pool(each) for each in resolved.pools)
        return self._copy(resolved, "resolved", pools=pools, deployment=pools[0].deployment)

    def pool(self, pool: ResolvedPool) -> ResolvedPool:
        """Trace a pool, its GPU, its sizes, and the recipe behind it."""
        if self._pool is None or self._pool[0] is not pool:
            self._pool = pool, self._traced_pool(pool)
        return self._pool[1]

    def _traced_pool(self, pool: ResolvedPool) -> ResolvedPool:
        deployment, role = pool.deployment, pool.role
        recipe = deployment.recipe.value
        parts = {
            "parallel": self._copy(recipe.parallel, "recipe.parallel"),
            "serve": self._copy(recipe.serve, "recipe.serve"),
            "hardware": self._copy(recipe.hardware, "recipe.hardware"),
        }
        loaded = self._copy(deployment.recipe, "loaded", value=self._copy(recipe, "recipe", **parts))
        return self._copy(
            pool,
            role,
            deployment=self._copy(deployment, "deployment", recipe=loaded),
            gpu=self._copy(pool.gpu, f"{role}.gpu") if pool.gpu else None,
            parallel=self._copy(pool.parallel, f"{role}.parallel"),
            serve=self._copy(pool.serve, f"{role}.serve"),
        )

    def view(self, view: EngineView) -> EngineView:
        """Trace one engine process: its arguments, and what the engine resolves from them."""
        parts: dict[str, Any] = {"pool": self.pool(view.pool), "arguments": self._arguments(view)}
        if isinstance(view, VllmView):
            settings = view.settings
            sizes = self._copy(settings.parallel, "settings.parallel")
            parts["settings"] = self._copy(settings, "settings", parallel=sizes)
        if isinstance(view, SglangView):
            parts["resolution"] = self._resolution(view, parts["arguments"])
        return self._copy(view, "view", **parts)

    def _resolution(self, view: SglangView, arguments: Arguments) -> Any:
        resolution = view.resolution
        given = resolution.given
        return self._copy(
            resolution,
            "resolution",
            settings=self._copy(resolution.settings, "settings"),
            after=_Steps(resolution.after, self._copy),
            given=self._copy(given, "given", arguments=arguments.values) if given else None,
        )

    def _arguments(self, view: EngineView) -> Arguments:
        held, table = view.arguments, follows.flags_of(view.engine)
        values = _Traced(self, "flag", held.values, table)
        return self._copy(held, "arguments", values=values, given=_Traced(self, "given", held.given, table))

    def _copy(self, value: T, name: str, /, **parts: Any) -> T:
        """Copy a frozen value into its traced class; `parts` are attributes that are traced themselves."""
        plain, names = self._class(type(value), name)
        made: Any = object.__new__(plain)
        if isinstance(value, BaseModel):
            _set(made, "__dict__", {**value.__dict__, **parts})
            for own in names:
                _set(made, own, getattr(value, own))
            return cast(T, made)
        for own in names:
            _set(made, own, parts[own] if own in parts else getattr(value, own))
        return cast(T, made)

    def _class(self, plain: type, name: str) -> tuple[type, tuple[str, ...]]:
        """Give the traced class, and the names of what its values hold."""
        key = (plain, name)
        if key not in self._classes:
            held = _OWN if issubclass(plain, BaseModel) else _names_of(plain)
            self._classes[key] = _traced_class(plain, name, self), held
        return self._classes[key]


def _names_of(plain: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(plain))


def _traced_class(plain: type, owner: str, tracer: Tracer) -> type:
    """Make a subclass that notes which attributes are read, what they follow from, and their values."""
    masks = follows.attributes_of(plain)
    whole: Mask = 0
    for mask in masks.values():
        whole |= mask
    if issubclass(plain, BaseModel):
        masks = {**masks, **dict.fromkeys(_WHOLE, whole)}
    computed = follows.computed_of(plain)
    masks = {**masks, **computed}
    names = {name: f"{owner}.{name}" for name, mask in masks.items() if mask}
    inherited: Any = plain.__getattribute__

    def read(self: Any, name: str) -> Any:
        value = tracer.unnoticed(inherited, self, name) if name in computed else inherited(self, name)
        if name in names:
            tracer.read(names[name], masks[name], value)
        return value

    held: dict[str, Any] = {"__slots__": (), "__getattribute__": read, "__module__": __name__}
    return type(plain)(plain.__name__, (plain,), held)


class _Steps(Mapping[str, Any]):
    """Settings after each step, traced when one is looked at: most rules look at none of them."""

    def __init__(self, held: Mapping[str, Any], copy: Callable[[Any, str], Any]) -> None:
        self._held, self._copy = held, copy

    def __getitem__(self, step: str) -> Any:
        return self._copy(self._held[step], f"settings after {step}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


_ABSENT = object()


class _Traced(Mapping[str, Any]):
    """A mapping of flags that notes which of them are read."""

    def __init__(
        self, tracer: Tracer, owner: str, held: Mapping[str, Any], table: Mapping[str, Mask]
    ) -> None:
        self._tracer, self._owner, self._held, self._table = tracer, owner, held, table

    def __getitem__(self, name: str) -> Any:
        value = self._held.get(name, _ABSENT)
        self._note(f"{self._owner} {name}", self._table.get(name, 0), value)
        if value is _ABSENT:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        found = name in self._held
        self._note(f"{self._owner} has {name}", self._table.get(str(name), 0), found)
        return found

    def __iter__(self) -> Iterator[str]:
        self._note(f"{self._owner} whole", ALL, None)
        return iter(self._held)

    def __len__(self) -> int:
        self._note(f"{self._owner} whole", ALL, None)
        return len(self._held)

    def _note(self, name: str, mask: Mask, value: object) -> None:
        if mask:
            self._tracer.read(name, mask, value)
