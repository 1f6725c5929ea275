"""Which known name a misspelled one was meant to be; a name that means something else is no answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

CLOSE = 0.85
"""Share of letters that two names have in common; below it they are two names."""
SLIPS = 2
"""Letters that a misspelled name may be longer or shorter by."""
_NUMBERS = re.compile(r"\d+")
_FORMATS = re.compile(r"nvfp|mxfp|fp|bf|int|awq|gptq|gguf|w\d+a\d+")


def misspelled(name: str, known: Iterable[str], close: float = CLOSE) -> str | None:
    """Give the name that was probably meant.

    Another number (a size, a version, bits), another format or another organisation is no slip of the pen.
    """
    owner, _, rest = _folded(name)
    best: tuple[float, str] | None = None
    for each in known:
        its_owner, _, its_rest = _folded(each)
        if (owner and _likeness(owner, its_owner) < close) or not _may_mean(rest, its_rest):
            continue
        rated = (_likeness(rest, its_rest), each)
        best = rated if best is None or rated > best else best
    return best[1] if best is not None and best[0] >= close else None


def _folded(name: str) -> tuple[str, str, str]:
    """Give organisation, slash and name, whatever their case."""
    return re.sub(r"[-_. ]+", "-", name.strip().lower()).rpartition("/")


def _may_mean(name: str, other: str) -> bool:
    """Tell whether what is more than spelling in a name, its numbers and formats, stands in the other too."""
    same_numbers = sorted(_NUMBERS.findall(name)) == sorted(_NUMBERS.findall(other))
    formats_kept = {*_FORMATS.findall(name)} <= {*_FORMATS.findall(other)}
    return same_numbers and formats_kept and abs(len(name) - len(other)) <= SLIPS


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
