"""In which order offers stand, and which of them no other beats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launchplan.fit.answer import Offer, Wish


def class_of(offer: Offer) -> tuple[str, str | None]:
    """Give what offers are compared within: GPU and checkpoint."""
    return offer.candidate.gpu.id, offer.judged.question.checkpoint


def rank(wish: Wish, offer: Offer) -> tuple[object, ...]:
    """Published before derived, then what surely holds, then cost or GPUs, then the goal."""
    judged = offer.judged
    cost = offer.price_per_hour if wish.prices else None
    speed, width = judged.tokens_per_s_per_user or 0.0, judged.requests.value
    asked = float(offer.candidate.kv is not None)  # a format that nobody has to ask for is the simpler one
    goal = (-width, -speed) if wish.workload.goal == "throughput" else (-speed, asked, -width)
    unpriced = bool(wish.prices) and cost is None
    return (
        offer.evidence == "derived", unpriced, cost or 0.0, offer.candidate.gpus, not judged.sure, *goal,
        offer.candidate.gpu.id, str(judged.question.checkpoint), offer.candidate.layout,
    )  # fmt: skip


def front(offers: Iterable[Offer]) -> Iterator[Offer]:
    """Give the offers of which no other on the same GPU and checkpoint is as good and one figure better."""
    figures: dict[tuple[str, str | None], list[tuple[float, ...]]] = {}
    offers = tuple(offers)
    for each in offers:
        figures.setdefault(class_of(each), []).append(_figures(each))
    for each in offers:
        mine = _figures(each)
        if each.evidence != "derived" or not any(
            other != mine and all(a >= b for a, b in zip(other, mine, strict=True))
            for other in figures[class_of(each)]
        ):
            yield each


def _figures(offer: Offer) -> tuple[float, ...]:
    judged = offer.judged
    return (
        float(judged.sure), -float(offer.candidate.gpus), judged.requests.value,
        judged.tokens_per_s_per_user or 0.0,
    )  # fmt: skip
