"""The answer to `fit` as a table that is read in ten seconds."""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.fit.answer import Fits, Miss, Offer
from launchplan.fit.shortlist import shortlist, with_fewer_gpus
from launchplan.fit.sizing import size
from launchplan.report.tables import table
from launchplan.units import plural

_HEADER = ("GPUs", "machines", "checkpoint", "layout", "KV", "drafts", "requests", "tokens/s <=", "evidence")


def fits_text(fits: Fits, *, everything: bool = False) -> str:
    """Print the layouts, the sizing of the first one, and why GPUs are missing."""
    return "".join(f"{line}\n" for line in _lines(fits, everything=everything))


def _lines(fits: Fits, *, everything: bool) -> Iterator[str]:
    wish = fits.wish
    yield f"{fits.question.model} on {wish.engine} {wish.version}: {_asked(fits)}"
    shown = fits.front if everything else shortlist(fits)
    if shown:
        yield ""
        yield table(_header(fits), [_row(fits, each) for each in shown]).rstrip("\n")
        yield ""
        yield from _notes(shown)
        yield f"{_hidden(fits, shown)}{plural(fits.layouts, 'layout')} checked"
    else:
        checked = f"nothing fits; {plural(fits.layouts, 'layout')} checked"
        yield checked if fits.layouts or fits.misses else "nothing was searched"
    sizing = size(fits)
    if sizing is not None:
        yield ""
        yield f"sizing, for {_name(sizing.offer)}:"
        for number, step in enumerate(sizing.steps, 1):
            for index, line in enumerate(step.lines):
                yield f"  {number}. {step.title}: {line}" if not index else f"     {line}"
    fewer = () if everything else with_fewer_gpus(fits)
    if fewer:
        yield ""
        yield "may hold with fewer GPUs:"
        yield from (f"  {_fewer(fits, each)}" for each in fewer)
    yield from _misses(fits)


def _asked(fits: Fits) -> str:
    asked = fits.question.workload
    if asked.concurrency is not None and asked.context_tokens is not None:
        return f"{plural(asked.concurrency, 'request')} at once of {asked.context_tokens:,} tokens"
    if asked.context_tokens is not None:
        return f"requests of {asked.context_tokens:,} tokens"
    window = f"{fits.question.window:,} tokens" if fits.question.window else "the model's own window"
    return f"requests of {window}"


def _header(fits: Fits) -> tuple[str, ...]:
    return (*_HEADER[:-1], "an hour", _HEADER[-1]) if fits.wish.prices else _HEADER


def _row(fits: Fits, offer: Offer) -> tuple[str, ...]:
    at, judged = offer.candidate, offer.judged
    count, speed = judged.requests, judged.tokens_per_s_per_user
    draft = at.speculative
    cells = [
        str(at.gpus), at.machines, (judged.question.checkpoint or fits.question.model).rpartition("/")[2],
        at.layout, at.kv or "auto", f"{draft.method} {draft.tokens}" if draft else "-",
        f"{count.value:,.0f} ({count.low:,.0f} to {count.high:,.0f})",
        f"{speed:,.0f}" if speed else "-",
    ]  # fmt: skip
    if fits.wish.prices:
        cells.append("-" if offer.price_per_hour is None else f"{offer.price_per_hour:,.2f}")
    marks = (
        "; draft not counted" if judged.draft_counted is False else "" if judged.sure else "; may not hold"
    )
    marks += "".join(f"; {code}" for code in dict.fromkeys(each.code for each in judged.warnings))
    name = f"{offer.evidence}: {offer.recipe}" if offer.recipe else offer.evidence
    return (*cells, name + marks)


def _notes(shown: tuple[Offer, ...]) -> Iterator[str]:
    yield "requests: at once, with the ends of the estimate; tokens/s: the bound for one user, not a forecast"
    if any(offer.judged.draft_counted is False for offer in shown):
        yield "draft not counted: the draft model's size is not known; what it takes, these requests lose"
    codes = sorted({each.code for offer in shown for each in offer.judged.warnings})
    if codes:
        yield f"warnings: `launchplan explain {codes[0]}`" + (f" ({', '.join(codes)})" if codes[1:] else "")


def _fewer(fits: Fits, offer: Offer) -> str:
    name = (offer.judged.question.checkpoint or fits.question.model).rpartition("/")[2]
    count = offer.judged.requests
    held = f"{count.value:,.0f} ({count.low:,.0f} to {count.high:,.0f}) requests"
    return f"{offer.candidate.machines}, {offer.candidate.layout}, {name}: {held}"


def _hidden(fits: Fits, shown: tuple[Offer, ...]) -> str:
    more = len([each for each in fits.front if each not in shown])
    return f"{plural(more, 'further layout')} on the Pareto front (--all); " if more > 0 else ""


def _name(offer: Offer) -> str:
    return offer.recipe or f"{offer.candidate.machines}, {offer.candidate.layout}"


def _misses(fits: Fits) -> Iterator[str]:
    if fits.misses:
        yield ""
        yield "no layout:"
        yield from (f"  {each}" for each in dict.fromkeys(_miss(miss) for miss in fits.misses))
    if fits.unevidenced:
        yield ""
        yield (
            f"not searched, because nobody is known to have run it there: {', '.join(fits.unevidenced)};"
            " --derived computes them all the same"
        )


def _miss(miss: Miss) -> str:
    at = f"{miss.candidate.machines}, {miss.candidate.layout}" if miss.candidate else miss.gpu
    name = f" {miss.checkpoint.rpartition('/')[2]}" if miss.checkpoint else ""
    code = f"{miss.finding.code} " if miss.finding else ""
    fix = f"; {miss.finding.fix}" if miss.finding and miss.finding.fix else ""
    return f"{at},{name}: {code}{miss.reason}{fix}"
