"""What would change: a recipe's layout on every GPU of the catalog, and the smallest change that mends it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan import catalog
from launchplan.catalog import Gpu
from launchplan.errors import InputError
from launchplan.finding import Finding, dotted
from launchplan.fit.answer import VENDORS, is_made_for
from launchplan.fit.evidence import layout_of, question_of
from launchplan.fit.judge import Judged, judged_plan
from launchplan.fit.space import Limits, per_node
from launchplan.fit.windows import shorter_windows
from launchplan.pipeline import Plan, replan
from launchplan.units import divisors

_MOST_CURES = 3
_LARGEST_TP = 64


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The same layout on another GPU."""

    gpu: str
    nodes: int
    gpus_per_node: int
    error: Finding | None
    """What refuses it there; None when nothing does."""
    requests: float | None
    """Requests of the usual length at once; None where it is refused or not known."""
    here: bool = False
    """Whether it is the recipe's own GPU."""


@dataclass(frozen=True, slots=True)
class Cure:
    """Settings that make a failing recipe pass, and what it serves then."""

    settings: tuple[str, ...]
    requests: float | None


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The answers for one recipe."""

    elsewhere: tuple[Elsewhere, ...]
    cures: tuple[Cure, ...]
    """The smallest changes, only for a recipe with errors; empty where none of those tried helps."""


def what_if(plan: Plan) -> WhatIf:
    """Plan a recipe's layout on every GPU, and look for what mends it; only of recipes with one pool."""
    if len(plan.resolved.pools) != 1:
        return WhatIf((), ())
    gpus = [gpu for gpu in catalog.gpus() if gpu.vendor in VENDORS]
    elsewhere = tuple(each for gpu in gpus if (each := _elsewhere(plan, gpu)) is not None)
    return WhatIf(elsewhere, tuple(_cures(plan)) if plan.errors else ())


def _elsewhere(plan: Plan, gpu: Gpu) -> Elsewhere | None:
    pool = plan.resolved.pools[0]
    here = pool.gpu is not None and pool.gpu.id == gpu.id
    host = (pool.gpus_per_node if here else None) or per_node(gpu, Limits())
    wanted = max(pool.world, 1)
    nodes = pool.nodes if here else max(1, -(-wanted // host))
    used = host if here or nodes > 1 else min(host, wanted)
    settings = [f"hardware.gpu={gpu.id}", f"hardware.nodes={nodes}", f"hardware.gpus_per_node={used}"]
    if not here:
        settings.append("hardware.fabric=")  # the fabric is the recipe's own site's
    other = _replanned(plan, () if here else settings)
    if other is None:
        return None
    error = next(iter(other.errors), None)
    return Elsewhere(gpu.id, nodes, used, error, None if error else _requests(other), here)


def _cures(plan: Plan) -> Iterator[Cure]:
    """Try changes, the smallest first: one key, the same GPUs, more GPUs of the one host, more hosts."""
    found = 0
    for level in (_one_key(plan), _same_gpus(plan), _fuller_host(plan), _more_hosts(plan)):
        for settings in level:
            other = _replanned(plan, settings)
            if other is None or other.errors:
                continue
            yield Cure(tuple(settings), _requests(other))
            found += 1
            if found == _MOST_CURES:
                return
        if found:
            return


def _one_key(plan: Plan) -> Iterator[list[str]]:
    pool = plan.resolved.pools[0]
    model, sizes, entry = pool.architecture, pool.parallel, plan.resolved.deployment.model
    nearest = sorted(range(1, _LARGEST_TP + 1), key=lambda size: (abs(size - sizes.tp), -size))
    for key, values in (
        ("tp", nearest),
        ("pp", (2 * sizes.pp, max(1, sizes.pp // 2), 1)),
        ("dp", (max(1, sizes.dp // 2), 1)),
        ("ep", dict.fromkeys((1, sizes.tp * sizes.dp))),
        ("dcp", reversed(divisors(sizes.tp, sizes.dcp))),
    ):
        yield from (
            [_set(pool.path("parallel", key), size)] for size in values if size != getattr(sizes, key)
        )
    yield from ([_set(pool.path("serve", "kv_cache_dtype"), kv)] for kv in ("", "fp8"))
    window = pool.serve.max_model_len or (model.derived_max_model_len if model else None) or 0
    yield from ([_set(pool.path("serve", "max_model_len"), tokens)] for tokens in shorter_windows(window))
    if pool.speculative is not None:
        yield [_set(pool.path("speculative"), "")]
    for each in entry.checkpoints if entry else ():
        if pool.gpu is not None and is_made_for(each, pool.gpu) and each.bytes is not None:
            yield [f"checkpoint={each.id}"]


def _same_gpus(plan: Plan) -> Iterator[list[str]]:
    """Lay the same GPUs out otherwise: the largest tensor parallel size first."""
    pool = plan.resolved.pools[0]
    world = max(pool.world, 1)
    if world > 4 * (pool.gpus or world):
        return
    gpus = pool.gpus or world
    for tp in reversed(divisors(gpus, min(gpus, _LARGEST_TP))):
        for pp in divisors(gpus // tp, gpus):
            dp = gpus // tp // pp
            whole = (1, tp * dp) if dp > 1 else (1,)
            for ep in whole:
                sizes = {"tp": tp, "pp": pp, "dp": dp, "ep": ep, "dcp": 1}
                changed = {key: size for key, size in sizes.items() if size != getattr(pool.parallel, key)}
                if changed:
                    yield [_set(pool.path("parallel", key), size) for key, size in changed.items()]


def _fuller_host(plan: Plan) -> Iterator[list[str]]:
    """Take more GPUs of the only host, joined by a larger tensor parallel size or by pipeline stages."""
    pool = plan.resolved.pools[0]
    sizes, here = pool.parallel, pool.gpus_per_node
    if pool.nodes > 1 or pool.gpu is None or here is None or pool.world != here:
        return
    host = per_node(pool.gpu, Limits())
    for times in divisors(host // here, host)[1:]:
        gpus = _set(pool.path("hardware", "gpus_per_node"), here * times)
        yield [gpus, _set(pool.path("parallel", "tp"), sizes.tp * times)]
        yield [gpus, _set(pool.path("parallel", "pp"), sizes.pp * times)]


def _more_hosts(plan: Plan) -> Iterator[list[str]]:
    """Add hosts, joined by pipeline stages or by a larger tensor parallel size."""
    pool = plan.resolved.pools[0]
    for nodes in range(pool.nodes + 1, 4 * pool.nodes + 1):
        hosts = _set(pool.path("hardware", "nodes"), nodes)
        if pool.world % pool.nodes == 0:
            pp = pool.parallel.pp * nodes // pool.nodes
            yield [hosts, _set(pool.path("parallel", "pp"), pp)]
            yield [hosts, _set(pool.path("parallel", "tp"), pool.parallel.tp * nodes // pool.nodes)]


def _set(path: tuple[str | int, ...], value: object) -> str:
    return f"{dotted(path)}={value}"


def _replanned(plan: Plan, settings: list[str] | tuple[str, ...]) -> Plan | None:
    try:
        return replan(plan, settings)
    except InputError:
        return None


def _requests(plan: Plan) -> float | None:
    judged = _judged(plan)
    return judged.requests.value if judged is not None and judged.figures is not None else None


def _judged(plan: Plan) -> Judged | None:
    candidate = layout_of(plan.resolved)
    return judged_plan(question_of(plan.resolved), candidate, plan) if candidate is not None else None
