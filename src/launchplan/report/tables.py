"""Rows in columns, for a terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from launchplan.report.escape import columns, printable

_GAP = "  "


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Line up rows below their header; the last column is not padded."""
    cells = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(columns(row[index]) for row in cells) for index in range(len(header))]
    return "".join(f"{_line(row, widths)}\n" for row in cells)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True))
    return _GAP.join(padded).rstrip()


def markdown_table(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Write a Markdown table."""
    lines = [list(header), *([str(cell).replace("|", "\\|") for cell in row] for row in rows)]
    texts = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join((texts[0], "|" + "---|" * len(lines[0]), *texts[1:]))
