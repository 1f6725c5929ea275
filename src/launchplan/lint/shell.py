"""Split a command as bash does, brace expansion included."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise

_OPEN = re.compile(r"\{[^{}]*,[^{}]*\}")
_QUOTED = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""", re.DOTALL)
_WORD = re.compile(r"""(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\])+""", re.DOTALL)


def shell_words(text: str) -> list[str]:
    """Give the words of a command line; raises ValueError for a quote that is not closed.

    A JSON value without quotes around it falls apart at its commas: `{"a":1,"b":2}` is two words.
    """
    joined = text.replace("\\\n", " ")
    plain = shlex.split(joined)
    if _OPEN.search(joined) is None:
        return plain
    words: list[str] = []
    for found in _WORD.finditer(joined):
        for raw in _expanded(found[0]):
            words += shlex.split(raw)
    return words


def _expanded(raw: str) -> list[str]:
    bare = _QUOTED.sub(lambda found: "q" * len(found[0]), raw)
    group = _OPEN.search(bare)
    if group is None or (group.start() > 0 and bare[group.start() - 1] == "$"):
        return [raw]
    first, last = raw[: group.start()], raw[group.end() :]
    inner, marks = raw[group.start() + 1 : group.end() - 1], bare[group.start() + 1 : group.end() - 1]
    cuts = [-1, *(i for i, sign in enumerate(marks) if sign == ","), len(inner)]
    return [f"{first}{inner[low + 1 : high]}{last}" for low, high in pairwise(cuts)]
