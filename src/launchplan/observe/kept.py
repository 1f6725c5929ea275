"""Write what a log measured as a file that a later plan reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import yaml

from launchplan.engines.measured import launch_settings
from launchplan.observe.terms import measured_terms

if TYPE_CHECKING:
    from launchplan.engines.budgets import PoolMemory
    from launchplan.memory.logged import EngineLog

_HEADER = (
    "# What engine logs measured; `launchplan memory RECIPE --measured` takes it in the place of estimates.\n"
)
# What is left or served: of these the fullest rank has the least.
_LEFT = frozenset(
    {"pool_gib", "pool_tokens", "pool_blocks", "concurrency_x", "free_gib", "before_gib", "after_gib"}
    | {"after_pool_gib", "unused_gib", "state_slots", "window_tokens"}
)
# A share is printed with two digits.
_SHARE_DIGITS = 2


def kept_text(recipe: str, observed: Iterable[tuple[PoolMemory, EngineLog, str]]) -> str:
    """Write pools with their logs and the logs' names as YAML."""
    pools = [_pool(pool, log, name) for pool, log, name in observed]
    data = {"launchplan": 1, "recipe": recipe, "pools": pools}
    return _HEADER + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=110)


def _pool(pool: PoolMemory, log: EngineLog, name: str) -> dict[str, Any]:
    settings = launch_settings(pool.view, pool.inputs)
    if log.version is not None:
        settings["version"] = log.version
    share = log.most("share")
    if share is not None and round(pool.memory.budget.share, _SHARE_DIGITS) != share.value:
        settings["share"] = share.value
    terms = measured_terms(log, pool.memory.budget.device, name)
    names = sorted({each for rank in log.ranks for each in rank.figures})
    fullest = {each: log.least(each) if each in _LEFT else log.most(each) for each in names}
    return {
        "role": pool.view.pool.role,
        "engine": log.engine,
        **({"version": log.version} if log.version else {}),
        "log": name,
        "settings": settings,
        "terms": {each.name: {"gib": each.gib, "step_gib": each.step_gib} for each in terms},
        "figures": {each: figure.value for each, figure in fullest.items() if figure is not None},
    }
