"""Rewrite renamed flags in a file's text, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from launchplan import catalog
from launchplan.catalog import FlagHistory
from launchplan.lint.files import LintedFile
from launchplan.lint.judge import Judged
from launchplan.lint.shell import Token
from launchplan.lint.unknowns import facts_of

_BEFORE = re.compile(r"(?P<kept>[^\s\\-])(?:[ \t]+|[ \t]*\\\r?\n[ \t]*)\Z")
"""A word and the blanks or the continuation behind it; the dash of a list item is no word."""
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_.:/+-]+")


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of the text and what replaces it."""

    start: int
    end: int
    new: str


def edits_of(linted: LintedFile) -> tuple[Edit, ...]:
    """List the renames that change nothing else, in the order of the file.

    Where two commands that share a word disagree about it, it is left alone.
    """
    wanted: dict[tuple[int, int], set[str]] = {}
    kept: dict[int, bool] = {}
    for judged in linted.judged:
        for token, edits in _of_launch(judged, linted.file.text):
            kept[token.start] = kept.get(token.start, True) and bool(edits)
            for edit in edits:
                wanted.setdefault((edit.start, edit.end), set()).add(edit.new)
    fixed = (Edit(start, end, news.copy().pop()) for (start, end), news in wanted.items() if len(news) == 1)
    alone = {
        token.start
        for judged in linted.judged
        for token in judged.launch.tokens
        if not kept.get(token.start, True)
    }
    return tuple(sorted((edit for edit in fixed if edit.start not in alone), key=lambda edit: edit.start))


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Give the text with the edits made; a byte order mark at its start stays."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix("\ufeff")
    parts, last = [mark], 0
    for edit in edits:
        parts += [text[last : edit.start], edit.new]
        last = edit.end
    return "".join((*parts, text[last:]))


def _of_launch(judged: Judged, text: str) -> Iterator[tuple[Token, tuple[Edit, ...]]]:
    launch = judged.launch
    history = catalog.flag_history(launch.engine)
    facts = facts_of(launch.engine, judged.version)
    if history is None or facts is None:
        return
    for place in range(launch.start, len(launch.tokens)):
        token = launch.tokens[place]
        name, sign, value = token.text.partition("=")
        if not name.startswith("--"):
            continue
        flag = facts.find(name)
        if flag is not None and not flag.deprecated and not history.is_gone(name, judged.version):
            yield token, ()
            continue
        following = launch.tokens[place + 1 : place + 2]
        yield (
            token,
            tuple(_rewritten(token, name, value if sign else None, following, text, history, judged.version)),
        )


def _rewritten(  # one word with what stands around it
    token: Token,
    name: str,
    value: str | None,
    following: Sequence[Token],
    text: str,
    history: FlagHistory,
    version: str,
) -> Iterator[Edit]:
    start = _literal(token, name, text)
    if start is None:
        return
    span = (start, start + len(name))
    change = history.change(name)
    words = history.rewrite(name, value, version) if change and (change.switch or value is not None) else None
    if words is not None:
        if words == () and text[start : start + len(token.text)] == token.text:
            yield from _dropped(text, start, token.text, None)
        if value is None and len(words) == 1:
            yield Edit(*span, words[0])
        elif value is None and len(words) == 2 and _PLAIN_VALUE.fullmatch(words[1]):
            yield Edit(*span, "=".join(words))
        elif value is not None and len(words) == 2 and words[1] == value:
            yield Edit(*span, words[0])
        return
    if value is not None or (change and change.switch) or not following or following[0].text.startswith("-"):
        return
    words = history.rewrite(name, following[0].text, version)
    if words is not None and len(words) == 2 and words[1] == following[0].text:
        yield Edit(*span, words[0])
    elif words == () and following[0].known and following[0].start > start:
        yield from _dropped(text, start, name, following[0])


def _dropped(text: str, start: int, written: str, value: Token | None) -> Iterator[Edit]:
    """Take a flag out of a line of words, with the blanks or the continuation before it."""
    end = start + len(written)
    if value is not None:
        if text[value.start : value.start + len(value.text)] != value.text or text[end : value.start].strip(
            " \t"
        ):
            return
        end = value.start + len(value.text)
    before = _BEFORE.search(text, max(0, start - 200), start)
    if before is not None and text[end : end + 1] in {"", " ", "\t", "\n", "\r"}:
        yield Edit(before.end("kept"), end, "")


def _literal(token: Token, name: str, text: str) -> int | None:
    """Give the offset of a flag's name where it stands in the text as it is, in one piece."""
    places = token.places[: len(name)]
    if len(places) < len(name) or any(b - a != 1 for a, b in pairwise(places)):
        return None
    return places[0] if text[places[0] : places[0] + len(name)] == name else None
