"""What changes between two launches, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from launchplan.engines.compare import Change, Comparison

_INDENT = "  "


def diff_text(found: Comparison) -> str:
    """Write a comparison for people, in the manner of diff; empty when nothing changes."""
    return "".join(f"{line}\n" for line in _lines(found)) if not found.same else ""


def diff_json(found: Comparison) -> str:
    """Write a comparison as JSON: the fields of `Comparison`, and `same`."""
    return json.dumps({"same": found.same, **asdict(found)}, indent=2, ensure_ascii=False) + "\n"


def _lines(found: Comparison) -> Iterator[str]:
    yield f"--- {found.before}"
    yield f"+++ {found.after}"
    for name in found.gone:
        yield f"- process {name}"
    for name in found.new:
        yield f"+ process {name}"
    for process in found.processes:
        yield from _section(", ".join(process.names), (*process.flags, *process.env))
    yield from _section("environment of every process", found.env)
    yield from _section("defaults that changed, of flags that neither writes", found.defaults)
    yield from _section("what the engine fills in", found.filled)
    yield from _section(f"not in {found.after.partition(': ')[2] or found.after}", found.refused)


def _section(title: str, changes: Sequence[Change]) -> Iterator[str]:
    if not changes:
        return
    yield ""
    yield title
    for change in changes:
        lines = [f"- {change.before}"] if change.before is not None else []
        lines += [f"+ {change.after}"] if change.after is not None else []
        lines[-1] += f"    ({change.note})" if change.note else ""
        yield from (f"{_INDENT}{line}" for line in lines)
