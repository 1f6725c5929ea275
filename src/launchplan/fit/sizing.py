"""Sizing in seven steps, as the documented advice takes them: from the workload to what is kept in reserve.

Tokens first, then the pool, then what the ranks talk over, then the two phases, then a failed replica. The
order and the arithmetic are those of "Kimi K3 serving FAQ: the memory budget, cold start, sizing" (2026).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from launchplan.engines.budgets import start_of
from launchplan.fit.answer import Fits, Offer
from launchplan.fit.phases import phases
from launchplan.fit.shortlist import shortlist
from launchplan.fit.workload import mean_tokens
from launchplan.memory.capacity import Count
from launchplan.memory.cold_start import replicas_through_restart
from launchplan.units import GIB, plural

if TYPE_CHECKING:
    from launchplan.recipe.schema import Workload

MEASURED_TOKENS = ("max_total_tokens", "pool_tokens")
"""Figures of a recipe's evidence that say how many tokens a pool was measured to hold."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the sizing: what is asked, and the answer in lines."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sizing:
    """The steps for one offer, and the figure that they start from."""

    offer: Offer
    resident_tokens: int
    steps: tuple[Step, ...]


def resident_tokens(workload: Workload) -> int | None:
    """Give the tokens in the pool: requests at once times their context, one of them at the tail."""
    mean = mean_tokens(workload)
    if mean is None or workload.concurrency is None:
        return None
    tail = workload.tail_context_tokens or mean
    return workload.concurrency * mean + max(0, tail - mean)


def size(fits: Fits) -> Sizing | None:
    """Size the first offer that is shown; None without an offer or without a workload to size for."""
    offer = next(iter(shortlist(fits)), None)
    tokens = resident_tokens(fits.wish.workload)
    if offer is None or tokens is None:
        return None
    steps = (
        Step("resident tokens", (_resident(fits.wish.workload, tokens),)),
        Step("pool", tuple(_pool(fits, offer, tokens))),
        Step("machines", (_machines(offer),)),
        Step("expert-parallel domain", (_experts(offer),)),
        Step("prefill and decode", phases(fits, offer, tokens)),
        Step("reserve", tuple(_reserve(fits.wish.workload, offer))),
        Step("evidence", (_evidence(offer),)),
    )
    return Sizing(offer, tokens, steps)


def _resident(workload: Workload, tokens: int) -> str:
    mean, count = mean_tokens(workload) or 0, workload.concurrency or 0
    tail = max(0, (workload.tail_context_tokens or mean) - mean)
    more = f" + {tail:,} for the longest" if tail else ""
    return f"{count:,} requests x {mean:,} tokens{more} = {tokens:,} tokens"


def _pool(fits: Fits, offer: Offer, tokens: int) -> list[str]:
    judged = offer.judged
    pool = judged.known.pool
    span = f"{pool.value / GIB:.1f} GiB a GPU ({pool.low / GIB:.1f} to {pool.high / GIB:.1f})"
    doubt = "" if judged.sure else "; the bad end of the interval does not hold the workload"
    lines = [
        f"estimated: {span}, {_span(judged.pool_tokens)} tokens in all",
        f"requests of {judged.request_tokens:,} tokens: {_span(judged.requests)} at once{doubt}",
    ]
    for name, measured in measured_tokens(fits):
        enough = "enough" if measured >= tokens else f"{tokens / measured:.1f} of it are needed"
        lines.append(f"measured: {measured:,} tokens by {name}: {enough}")
    return lines


def measured_tokens(fits: Fits) -> tuple[tuple[str, int], ...]:
    """Give the pools that were measured on published layouts of this search."""
    found: list[tuple[str, int]] = []
    for offer in (*fits.offers, *fits.short):
        for figure in MEASURED_TOKENS:
            value = offer.figures.get(figure)
            if offer.recipe is not None and isinstance(value, int) and value > 0:
                found.append((offer.recipe, value))
    return tuple(found)


def _machines(offer: Offer) -> str:
    at = offer.candidate
    price = "" if offer.price_per_hour is None else f", {offer.price_per_hour:,.2f} an hour"
    return f"{at.machines}: {plural(at.gpus, 'GPU')}, {at.layout}{price}"


def _experts(offer: Offer) -> str:
    """Say what the experts' exchange crosses: memory may be satisfied where it is not."""
    at, spans = offer.candidate, dict(offer.judged.spans)
    model = offer.judged.held.view.architecture
    if model is None or not model.is_moe:
        return "no experts: nothing to exchange"
    link = spans.get("ep") or spans.get("dp") or "none"
    if at.ep == 1 and at.dp == 1:
        return "experts are cut over the tensor parallel ranks; none are exchanged between hosts"
    if link in {"none", "node"}:
        return "experts are exchanged within one host"
    if link == "domain":
        return "experts are exchanged within one NVLink domain"
    fabric = offer.judged.held.view.pool.fabric
    if fabric is None:
        return f"experts are exchanged by {at.nodes} hosts: that needs RDMA or NVLink (--fabric)"
    return f"experts are exchanged by {at.nodes} hosts over {fabric.id}, which has RDMA"


def _reserve(workload: Workload, offer: Offer) -> list[str]:
    judged = offer.judged
    needed = replicas_through_restart(workload.concurrency or 1, judged.requests.value)
    lines = []
    if needed is not None:
        gpus = needed * offer.candidate.gpus
        lines.append(
            f"{plural(needed, 'instance')} ({plural(gpus, 'GPU')}) serve the workload while one starts cold"
        )
    start = start_of(judged.held.view)
    if start is not None:
        seconds = start.node_bytes / 1e9
        time = f"{seconds / 60:,.0f} min" if seconds >= 60 else f"{seconds:.0f} s"
        lines.append(f"a cold start reads {start.node_bytes / 1e9:,.0f} GB a host: {time} at 1 GB/s")
    return lines


def _evidence(offer: Offer) -> str:
    if offer.recipe is not None:
        return f"{offer.evidence}: {offer.recipe}, {offer.source}; measure the pool on your own requests"
    return "derived: computed only; nobody is known to have run it, measure the pool before you rely on it"


def _span(count: Count) -> str:
    return f"{count.value:,.0f} ({count.low:,.0f} to {count.high:,.0f})"
