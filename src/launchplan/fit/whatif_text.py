"""What would change, for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from launchplan.report.tables import table

if TYPE_CHECKING:
    from launchplan.fit.whatif import Cure, Elsewhere, WhatIf


def what_if_text(found: WhatIf, *, failed: bool) -> str:
    """Print what mends a recipe, and the same layout on every GPU."""
    return "".join(f"{line}\n" for line in _lines(found, failed=failed))


def _lines(found: WhatIf, *, failed: bool) -> Iterator[str]:
    yield ""
    if not found.elsewhere:
        yield "what if: only for recipes with one pool of machines"
        return
    if failed:
        yield "the smallest change that makes it pass:" if found.cures else "no small change makes it pass"
        yield from (f"  {_cure(each)}" for each in found.cures)
        yield ""
    yield "the same layout on other GPUs:"
    rows = [_row(each) for each in found.elsewhere]
    yield table(("gpu", "machines", "requests", "verdict"), rows).rstrip("\n")


def _cure(cure: Cure) -> str:
    flags = " ".join(f"--set {setting}" for setting in cure.settings)
    return flags if cure.requests is None else f"{flags}  ({_count(cure.requests)} requests at once)"


def _row(each: Elsewhere) -> tuple[str, ...]:
    machines = f"{each.nodes}x{each.gpus_per_node}" if each.nodes > 1 else str(each.gpus_per_node)
    passes = "passes" if each.requests is not None else "passes, its memory is not computed"
    verdict = passes if each.error is None else f"{each.error.code} {each.error.message}"
    requests = "-" if each.requests is None else _count(each.requests)
    return each.gpu + (" (the recipe's)" if each.here else ""), machines, requests, verdict


def _count(requests: float) -> str:
    return f"{requests:,.1f}" if requests < 10 else f"{requests:,.0f}"
