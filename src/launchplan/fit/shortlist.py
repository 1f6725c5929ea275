"""The rows that are shown unasked."""

from __future__ import annotations

from launchplan.fit.answer import Fits, Offer


def shortlist(fits: Fits) -> tuple[Offer, ...]:
    """Keep the published layouts, and of each GPU and checkpoint the derived one with the fewest GPUs.

    One that holds at both ends of its interval comes before one that may not.
    """
    kept: list[Offer] = []
    seen: set[tuple[str, str | None]] = set()
    for sure in (True, False):
        for each in fits.offers:
            if each.evidence == "derived" and each.judged.sure is sure and _place(each) not in seen:
                seen.add(_place(each))
                kept.append(each)
    return tuple(each for each in fits.offers if each.evidence != "derived" or each in kept)


def with_fewer_gpus(fits: Fits) -> tuple[Offer, ...]:
    """Give of each GPU and checkpoint the layout that may hold with fewer GPUs than the one shown."""
    shown = shortlist(fits)
    least = {_place(each): each.candidate.gpus for each in shown if each.evidence == "derived"}
    found: dict[tuple[str, str | None], Offer] = {}
    for each in fits.offers:
        if each not in shown and each.candidate.gpus < least.get(_place(each), 0):
            found.setdefault(_place(each), each)
    return tuple(found.values())


def _place(offer: Offer) -> tuple[str, str | None]:
    return offer.candidate.gpu.id, offer.judged.question.checkpoint
