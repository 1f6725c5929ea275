"""Brace expansion, which comes before every other one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from launchplan.lint.shell.words import Part, Word

MAX_WORDS = 256
MAX_SIGNS = 20_000
"""Words that braces may become, and characters of a word that has some; more are nobody's command line."""


def expand_braces(word: Word) -> Iterator[Word]:
    """Give the words of a brace expansion: an unquoted JSON object falls apart at its commas."""
    if not any("{" in part.text.text for part in word.parts if part.name is None and not part.quoted):
        yield word
        return
    waiting, done = [word], list[Word]()
    while waiting:
        each = waiting.pop()
        inner = _once(each)
        if inner is None:
            done.append(each)
        else:
            waiting += reversed(inner)
        if len(done) + len(waiting) > MAX_WORDS:
            done = [word]
            break
    yield from done


def _once(word: Word) -> list[Word] | None:
    """Expand one pair of braces; None where there is none."""
    signs: list[tuple[Part, int]] = []
    for part in word.parts:
        size = len(part.text) if part.name is None and not part.quoted else 0
        signs += [(part, index) for index in range(size)] if size else [(part, -1)]
    group = _group(signs) if len(signs) < MAX_SIGNS else None
    if group is None:
        return None
    first, last, commas = group
    cuts = [first, *commas, last]
    return [
        Word(
            tuple(_merged([*signs[:first], *signs[low + 1 : high], *signs[last + 1 :]])), word.start, word.end
        )
        for low, high in pairwise(cuts)
    ]


def _group(signs: list[tuple[Part, int]]) -> tuple[int, int, list[int]] | None:
    """Find the first innermost `{a,b}` among unquoted characters."""
    opened: int | None = None
    commas: list[int] = []
    for place, (part, index) in enumerate(signs):
        sign = part.text.text[index] if index >= 0 else ""
        if sign == "{":
            opened, commas = place, []
        elif sign == "," and opened is not None:
            commas.append(place)
        elif sign == "}" and opened is not None:
            if commas:
                return opened, place, commas
            opened = None
    return None


def _merged(signs: list[tuple[Part, int]]) -> Iterator[Part]:
    for part, index in signs:
        yield part if index < 0 else replace(part, text=part.text.cut(index, index + 1))
