"""Variables of a script as far as its text says what they hold, and words expanded by them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from launchplan.lint.shell.words import Part, Word
from launchplan.lint.text import MASK, Text, joined

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")
_BLANKS = re.compile(r"[ \t\n]+")
MAX_VALUE = 65_536
"""Characters that a variable may hold; a script that doubles one again and again has no use for them."""
UNKNOWN_SIGN = MASK
"""Stands in a word for each value that is not known."""


@dataclass(frozen=True, slots=True)
class Token:
    """One argument of a process, and where it is written."""

    text: str
    start: int
    end: int
    """Offsets in the file: where it, or the variable that holds it, is written."""
    places: tuple[int, ...] | range = ()
    """The offset of each character of the text."""
    unknown: tuple[str, ...] = ()
    """What in it is not known: variables, substitutions, templates; `text` holds a sign for each."""
    open: bool = False
    """Whether it may be any number of arguments, or none."""
    defaulted: bool = False
    """Whether it is the default of a variable that the environment may set."""

    @property
    def known(self) -> bool:
        """Whether it is exactly one argument of this text."""
        return not self.unknown and not self.open


@dataclass(frozen=True, slots=True)
class Value:
    """What a variable holds: words of an array, or one text; None where that is not known."""

    words: tuple[Token, ...] | None
    array: bool = False


@dataclass(slots=True)
class Scope:
    """Variables at one point of a script."""

    values: dict[str, Value] = field(default_factory=dict)
    exported: dict[str, Token] = field(default_factory=dict)
    export_all: bool = False
    unset_are_literal: bool = False
    """Whether a name that nothing sets stands for itself, as where no shell expands it."""

    def copy(self) -> Scope:
        """Give a scope that changes apart."""
        return Scope(dict(self.values), dict(self.exported), self.export_all, self.unset_are_literal)

    def forget(self, name: str) -> None:
        """Hold a variable's value for unknown from here on; of an array, what it holds may be all or not."""
        old = self.values.get(name)
        if old is not None and old.array and old.words:
            last = old.words[-1]
            more = Token(UNKNOWN_SIGN, last.start, last.end, unknown=(f"${{{name}[@]}}",), open=True)
            self.values[name] = Value((*(word for word in old.words if not word.open), more), array=True)
        else:
            self.values[name] = Value(None, old.array if old else False)
        if name in self.exported:
            token = self.exported[name]
            self.exported[name] = Token(UNKNOWN_SIGN, token.start, token.end, unknown=(name,))

    def assign(self, name: str, value: Value, *, append: bool = False, export: bool = False) -> None:
        """Set a variable; `append` is `+=`."""
        if append:
            value = _appended(self.values.get(name), value)
        if value.words is not None and sum(len(word.text) + 1 for word in value.words) > MAX_VALUE:
            value = Value(None, value.array)
        self.values[name] = value
        if (export or self.export_all or name in self.exported) and not value.array:
            self.export(name)

    def export(self, name: str, place: Token | None = None) -> None:
        """Hand a variable to the processes that start from here on."""
        value = self.values.get(name)
        if value is not None and value.words:
            self.exported[name] = value.words[0]
        elif place is not None:
            self.exported[name] = Token(UNKNOWN_SIGN, place.start, place.end, unknown=(name,))

    def expand(self, word: Word, source: Text) -> Iterator[Token]:
        """Give the arguments that a word becomes."""
        start, end = source.place(word.start), source.place(max(word.start, word.end - 1)) + 1
        if all(part.name is None for part in word.parts):
            text = joined(part.text for part in word.parts) if len(word.parts) > 1 else _only(word)
            yield Token(text.text, start, end, tuple(text.places))
            return
        yield from _Expansion(self, start, end).run(word.parts)

    def one(self, word: Word, source: Text) -> Token:
        """Give the one argument that a word becomes where nothing splits it: an assignment's value."""
        quoted = Word(tuple(_without_splitting(part) for part in word.parts), word.start, word.end)
        found = tuple(self.expand(quoted, source))
        if len(found) == 1:
            return found[0]
        start = source.place(word.start)
        return Token(" ".join(token.text for token in found), start, start, unknown=_unknown(found))


def assignment(word: Word) -> tuple[str, bool, Word] | None:
    """Take `NAME=value` or `NAME+=value` apart; the value is the rest of the word."""
    if not word.parts or word.parts[0].name is not None or word.parts[0].quoted:
        return None
    first = word.parts[0].text
    found = _ASSIGNMENT.match(first.text)
    if found is None:
        return None
    rest = (Part(first.cut(found.end())), *word.parts[1:])
    return found[1], bool(found[2]), Word(rest, word.start + found.end(), word.end)


def _only(word: Word) -> Text:
    return word.parts[0].text if word.parts else Text("", ())


def _without_splitting(part: Part) -> Part:
    return Part(part.text, True, part.name, part.array, part.default, part.alternative)


def _appended(old: Value | None, new: Value) -> Value:
    if old is None or old.words is None or new.words is None:
        return Value(None, new.array or (old.array if old else False))
    if new.array or old.array:
        return Value((*old.words, *new.words), array=True)
    first, last = (*old.words, Token("", 0, 0))[0], (*new.words, Token("", 0, 0))[0]
    places = (*first.places, *last.places)
    return Value(
        (Token(first.text + last.text, first.start, last.end, places, (*first.unknown, *last.unknown)),)
    )


def _unknown(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(token.unknown for token in tokens)))


@dataclass(slots=True)
class _Expansion:
    """One word on its way to arguments."""

    scope: Scope
    start: int
    end: int
    texts: list[Text] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    begun: bool = False
    open: bool = False
    split: bool = False
    defaulted: bool = False

    def run(self, parts: tuple[Part, ...]) -> Iterator[Token]:
        for part in parts:
            yield from self._part(part)
        yield from self._finish()

    def _part(self, part: Part) -> Iterator[Token]:
        if part.name is None and not part.quoted and _BLANKS.search(part.text.text):
            yield from self._blanks(part.text)  # a default that falls apart
            return
        if part.name is None:
            self.begun = self.begun or part.quoted or bool(part.text.text)
            self.texts.append(part.text)
            return
        value = self.scope.values.get(part.name)
        known = value.words if value is not None else None
        if part.alternative:
            yield from self._alternative(part, value)
        elif part.default is not None and (value is None or known == () or (known and not known[0].text)):
            self.defaulted = self.defaulted or value is None
            yield from self._inner(part, part.default)
        elif known is None:
            self._unknown(part, array=part.array or (value is not None and value.array and not part.quoted))
        elif part.array:
            yield from self._array(known, quoted=part.quoted)
        else:
            yield from self._scalar(part, known[0] if known else None)

    def _alternative(self, part: Part, value: Value | None) -> Iterator[Token]:
        if value is None or value.words is None:
            self._unknown(part, array=part.array or not part.quoted)
        elif value.words and (part.array or value.words[0].text):
            yield from self._inner(part, part.default or ())

    def _inner(self, part: Part, inner: tuple[Part, ...]) -> Iterator[Token]:
        for each in inner:
            yield from self._part(_without_splitting(each) if part.quoted else each)

    def _blanks(self, text: Text) -> Iterator[Token]:
        last = 0
        for found in _BLANKS.finditer(text.text):
            self._piece(text.cut(last, found.start()))
            yield from self._finish()
            last = found.end()
        self._piece(text.cut(last))

    def _piece(self, text: Text) -> None:
        if text.text:
            self.begun = self.split = True
            self.texts.append(text)

    def _unknown(self, part: Part, *, array: bool) -> None:
        self.begun = True
        self.unknown.append(part.text.text.replace(MASK, "") or "a template expression")
        self.texts.append(Text(UNKNOWN_SIGN, (part.text.place(0),)))
        self.open = self.open or array or not part.quoted

    def _array(self, words: tuple[Token, ...], *, quoted: bool) -> Iterator[Token]:
        for index, word in enumerate(words):
            if index:
                yield from self._finish()
            self._take(word, split=not quoted)
            if word.open:
                self.unknown += word.unknown

    def _scalar(self, part: Part, word: Token | None) -> Iterator[Token]:
        if word is None:
            return
        if part.quoted:
            self._take(word, split=False, used=part.text.place(0))
            return
        pieces = _BLANKS.split(word.text) if word.text else []
        if len(pieces) == 1:
            self._take(word, split=False, used=None if word.text.startswith("-") else part.text.place(0))
            return
        position = 0
        for index, piece in enumerate(pieces):
            position = word.text.index(piece, position)
            if index:
                yield from self._finish()
            if piece:
                places = word.places[position : position + len(piece)]
                self.split = True
                self.begun = True
                self.texts.append(Text(piece, places))
                self._carry(piece, word)
            position += len(piece)

    def _take(self, word: Token, *, split: bool, used: int | None = None) -> None:
        self.begun = True
        self.split = self.split or used is None or split
        places = (
            word.places
            if used is None and len(word.places) == len(word.text)
            else (used or word.start,) * len(word.text)
        )
        self.texts.append(Text(word.text, places))
        self._carry(word.text, word)
        self.open = self.open or word.open

    def _carry(self, piece: str, word: Token) -> None:
        self.defaulted = self.defaulted or word.defaulted
        if UNKNOWN_SIGN in piece:
            self.unknown += word.unknown

    def _finish(self) -> Iterator[Token]:
        if not self.begun:
            return
        text = joined(self.texts)
        start, end = self.start, self.end
        if self.split and text.places and not self.open:
            start, end = text.places[0], text.places[-1] + 1
        unknown = tuple(dict.fromkeys(self.unknown))
        is_open = self.open and text.text == UNKNOWN_SIGN
        yield Token(text.text, start, end, tuple(text.places), unknown, is_open, self.defaulted)
        self.texts, self.unknown = [], []
        self.begun = self.open = self.split = self.defaulted = False
