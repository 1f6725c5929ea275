"""What `launchplan fit` offered, and what the engines said of it, as a part of the page on conformance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from launchplan.report.tables import markdown_table

_INTRO = """
Offers of `launchplan fit` for checkpoints whose `config.json` was at hand, as the command of their head:
out of the whole list, not the Pareto front alone, on GPUs without evidence, too (`--derived`), one of each
kind of layout before a second of any. `tests/conformance/offers` asked the stage `config` about them. Only
builds for NVIDIA's GPUs were asked, and drafts only where they are part of the model: one that needs
another model's config is not.
"""


def offers_section(counts: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Write the blocks of the section; `counts` are those of `tests/conformance/offers/counts.yaml`."""
    counts = tuple(counts)
    header = (
        "engine", "version", "day", "checkpoints", "GPUs",
        "asked", "accepted", "apart", "refused", "not asked",
    )  # fmt: skip
    apart = [(each["engine"], place) for each in counts for place in each["apart"]]
    yield "## Offers of fit"
    yield _INTRO.strip()
    yield markdown_table(header, (_row(each) for each in counts))
    if apart:
        rows = ((engine, place["where"], place["why"], place["count"]) for engine, place in apart)
        yield markdown_table(("engine", "apart: refused at", "because", "offers"), rows)
    refused = [(each["engine"], place) for each in counts for place in each["refused"]]
    if refused:
        lines = ((engine, place["where"], place["model"], place["count"]) for engine, place in refused)
        yield markdown_table(("engine", "refused at", "model", "offers"), lines)


def _row(counts: Mapping[str, Any]) -> tuple[object, ...]:
    apart = sum(place["count"] for place in counts["apart"])
    refused = sum(place["count"] for place in counts["refused"])
    gpus = ", ".join(counts["gpus"])
    return (
        counts["engine"], counts["version"], counts["judged"], counts["checkpoints"], gpus, counts["asked"],
        counts["accepted"], apart, refused, counts["not_asked"],
    )  # fmt: skip
