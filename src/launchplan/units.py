"""Numbers with their units, as messages print them."""

from __future__ import annotations

from collections.abc import Iterable

KIB = 1024
MIB = 1024**2
GIB = 1024**3
TIB = 1024**4
_MOST_DIGITS = 18
"""More are no count of anything, and Python refuses to read thousands."""


def bytes_text(count: float) -> str:
    """Print a number of bytes in the largest binary unit that keeps it above 1."""
    for unit, size in (("TiB", TIB), ("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count:.0f} B"


def storage_text(count: float) -> str:
    """Print a number of bytes as storage and networks count them, in powers of ten."""
    return f"{count / 1e12:.2f} TB" if count >= 1e12 else f"{count / 1e9:.0f} GB"


def duration_text(seconds: float) -> str:
    """Print a time in minutes, below one minute in seconds."""
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.0f} s"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """Print a count with its noun: `1 node`, `2 nodes`."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def choice_text(values: Iterable[object]) -> str:
    """Join alternatives as a sentence does: `2, 4 or 8`."""
    words = [str(value) for value in values]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} or {words[-1]}"


def decimal(text: str) -> int | None:
    """Read the digits of a count; None for too many of them and for other signs, such as `²`."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None


def divisors(number: int, limit: int) -> tuple[int, ...]:
    """List the divisors of a positive number up to a limit, rising."""
    return tuple(d for d in range(1, min(number, limit) + 1) if number % d == 0)
