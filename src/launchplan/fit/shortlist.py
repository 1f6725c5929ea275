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
            place = (each.candidate.gpu.id, each.judged.question.checkpoint)
            if each.evidence == "derived" and each.judged.sure is sure and place not in seen:
                seen.add(place)
                kept.append(each)
    return tuple(each for each in fits.offers if each.evidence != "derived" or each in kept)
