"""A recipe's pool, what a log measured of it, and how the two compare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from launchplan.errors import InputError
from launchplan.finding import Location
from launchplan.observe.compare import compare
from launchplan.observe.kept import kept_text
from launchplan.observe.read import read_log
from launchplan.source import problem

if TYPE_CHECKING:
    from launchplan.engines.budgets import PoolMemory
    from launchplan.memory.logged import Comparison, EngineLog


@dataclass(frozen=True, slots=True)
class Observation:
    """What one log says of one pool."""

    pool: PoolMemory
    log: EngineLog
    name: str
    """The log's name."""
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...]
    """Where log and recipe are not of the same launch."""

    def kept(self) -> str:
        """Write it as the file that `launchplan memory --measured` reads."""
        recipe = self.pool.view.pool.deployment.recipe.value.name
        return kept_text(recipe, [(self.pool, self.log, self.name)])


def observe_pools(
    pools: Iterable[PoolMemory], text: str, *, name: str = "<log>", role: str | None = None
) -> Observation:
    """Read a log of a recipe's pool; `role` says which where a recipe has several.

    Raises `InputError` where the log tells nothing, or not of which pool it is.
    """
    known: dict[str, PoolMemory] = {pool.view.pool.role: pool for pool in pools}
    log = read_log(text)
    if log is None:
        message = "no line of vLLM or SGLang that tells of memory"
        fix = "give the log of the engine's start, at its usual level INFO"
        raise InputError((problem("REC001", message, Location(name), fix=fix),))
    pool = _pool(known, log, name, role)
    return Observation(pool, log, name, compare(pool, log), tuple(_notes(pool, log)))


def _pool(known: dict[str, PoolMemory], log: EngineLog, name: str, role: str | None) -> PoolMemory:
    fitting = [each for each in known if known[each].view.engine == log.engine]
    message, fix = "", f"the recipe's pools are {', '.join(known)}" if known else ""
    if not known:
        message, fix = "no pool of the recipe can be planned", "`launchplan check` says what is missing"
    elif role is not None and role not in known:
        message = f"the recipe has no pool {role} that can be planned"
    elif not fitting or (role is not None and role not in fitting):
        engine = known[role or next(iter(known))].view.engine
        message, fix = f"the log is of {log.engine}, the recipe's engine is {engine}", ""
    elif role is None and len(fitting) > 1:
        message, fix = f"the recipe has {len(fitting)} pools", f"say --role {' or --role '.join(fitting)}"
    if message:
        raise InputError((problem("REC008", message, Location(name), fix=fix or None),))
    return known[role or fitting[0]]


def _notes(pool: PoolMemory, log: EngineLog) -> Iterable[str]:
    """Say where the log is of another launch than the recipe's."""
    deployment, budget = pool.view.pool.deployment, pool.memory.budget
    if log.starts > 1:
        yield f"the log holds {log.starts} starts; the last one counts"
    if log.version is not None and log.version != deployment.version:
        yield f"the log is of {log.engine} {log.version}, the recipe of {deployment.version}"
    share = log.most("share")
    if share is not None and round(budget.share, 2) != share.value:
        yield f"the engine was started with a share of {share.value:g}, the recipe says {budget.share:g}"
    length = log.least("request_tokens")
    planned = pool.memory.capacity.of("max_model_len")
    if length is not None and planned is not None and planned.tokens != length.value:
        yield f"max_model_len of the log is {length.value:,.0f}, of the recipe {planned.tokens:,}"
    ranks = {each.rank for each in log.ranks if "weights_gib" in each.figures}
    if len(ranks) == 1 and pool.view.pool.world > 1:
        yield "the log tells of one rank only; the fullest one may be another"
