"""Text that knows where each of its characters stands in a file, whatever was unquoted or joined since."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from launchplan.finding import Location

MASK = "\ue000"
"""Stands for each character of a template expression, whose value is not in the file."""
_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Text:
    """Characters and the offset of each in the file that they come from."""

    text: str
    places: Sequence[int]

    def __len__(self) -> int:
        return len(self.text)

    def cut(self, start: int, end: int | None = None) -> Text:
        """Give a part, as slices do."""
        return Text(self.text[start:end], self.places[start:end])

    def place(self, index: int) -> int:
        """Give the offset in the file of a character; of the end, for an index behind the last one."""
        if index < len(self.places):
            return self.places[index]
        return self.places[-1] + 1 if self.places else 0


def joined(parts: Iterable[Text]) -> Text:
    """Put texts behind each other."""
    kept = tuple(parts)
    return Text("".join(part.text for part in kept), tuple(chain.from_iterable(part.places for part in kept)))


@dataclass(frozen=True)
class SourceFile:
    """A file's name and text; places are offsets in it."""

    name: str
    text: str

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer(r"\r\n|[\n\r]", self.text))]

    def location(self, offset: int) -> Location:
        """Give line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return Location(self.name, line, offset - self._starts[line - 1] + 1)

    @cached_property
    def whole(self) -> Text:
        """The text with line ends of one character and template expressions masked."""
        text = self.text
        if "{" in text:
            text = _TEMPLATE.sub(_masked, text)
        if "\r" not in text:
            return Text(text, range(len(text)))
        kept = [
            index for index, sign in enumerate(text) if sign != "\r" or text[index + 1 : index + 2] != "\n"
        ]
        return Text("".join(text[index] for index in kept).replace("\r", "\n"), kept)


def _masked(found: re.Match[str]) -> str:
    """Mask an expression and keep its length; the line ends inside it stay."""
    return re.sub(r"[^\r\n]", MASK, found[0])
