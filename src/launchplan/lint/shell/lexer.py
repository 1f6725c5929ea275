"""Cut shell text into words and operators, each part of a word with its place.

Only what separates and quotes words is understood: quotes, escapes, continuations, comments, here
documents, expansions, brace expansion. `<model>` is a placeholder of documentation, not a redirection. A
quote that nothing closes ends with the text, and is said to be open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from launchplan.lint.shell.braces import expand_braces
from launchplan.lint.shell.words import Operator, Part, Redirection, Word
from launchplan.lint.text import MASK, Text

_OPERATOR = re.compile(r"&&|\|\||;;&?|;&|\|&|[;&|()]")
_REDIRECTION = re.compile(r"\d*(?:<<<|<<-?|<>|<&|>>|>&|>\||[<>])|&>>?")
_PLACEHOLDER = re.compile(r"<[A-Za-z$][^<>\n|;&()'\"]*>")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_BRACED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?!$-])(\[[^\]\n]*\])?(:?[-=?+])?")
_PLAIN = re.compile(r"[^\s'\"\\$`#;&|()<>{}" + MASK + r"]+")
_DOUBLE_PLAIN = re.compile(r"[^\"\\$`" + MASK + r"]+")


@dataclass(slots=True)
class Lexer:
    """One pass over a text."""

    source: Text
    blank_newlines: bool = False
    """Whether a line end only separates words, as where no shell runs."""
    position: int = 0
    open_quote: int | None = None
    """Where a quote opens that nothing closes."""
    _pending: list[tuple[str, bool, bool, int]] = field(default_factory=list)
    _bodies: dict[int, tuple[Text, bool]] = field(default_factory=dict)

    def run(self) -> list[Word | Operator | Redirection]:
        """Give everything in order; here documents stand with their redirection."""
        items = list(self._items())
        return [
            replace(item, body=self._bodies[item.start][0], expands=self._bodies[item.start][1])
            if isinstance(item, Redirection) and item.start in self._bodies
            else item
            for item in items
        ]

    def _items(self) -> Iterator[Word | Operator | Redirection]:
        text, size = self.source.text, len(self.source)
        while self.position < size:
            here = self.position
            sign = text[here]
            if sign == "\n":
                self.position += 1
                if not self.blank_newlines:
                    yield Operator("\n", here)
                self._read_bodies()
            elif sign.isspace():
                self.position += 1
            elif text.startswith("\\\n", here):
                self.position += 2
            elif sign == "#" and not self.blank_newlines:
                end = text.find("\n", here)
                self.position = size if end < 0 else end
            else:
                yield from self._item()

    def _item(self) -> Iterator[Word | Operator | Redirection]:
        text, here = self.source.text, self.position
        placeholder = _PLACEHOLDER.match(text, here)
        if placeholder is None and not self.blank_newlines:
            redirection = _REDIRECTION.match(text, here)
            if redirection is not None:
                yield self._redirection(redirection)
                return
            operator = _OPERATOR.match(text, here)
            if operator is not None:
                self.position = operator.end()
                yield Operator(operator[0], here)
                return
        word = self._word()
        yield from (word,) if len(word.parts) == 0 else expand_braces(word)

    def _redirection(self, found: re.Match[str]) -> Redirection:
        self.position = found.end()
        sign, text = found[0].lstrip("0123456789"), self.source.text
        while text[self.position : self.position + 1] in {" ", "\t"}:
            self.position += 1
        following = text[self.position : self.position + 1]
        if not following or following in "\n;|)" or (following == "&" and sign not in {"<&", ">&"}):
            return Redirection(sign, None, found.start())
        target = self._word()
        if sign in {"<<", "<<-"}:
            quoted = any(part.quoted for part in target.parts)
            delimiter = "".join(part.text.text for part in target.parts)
            self._pending.append((delimiter, quoted, sign == "<<-", found.start()))
        return Redirection(sign, target, found.start())

    def _read_bodies(self) -> None:
        text = self.source.text
        for delimiter, quoted, tabs, key in self._pending:
            start = self.position
            indent = r"\t*" if tabs else ""
            found = re.compile(rf"^{indent}{re.escape(delimiter)}$", re.MULTILINE).search(text, start)
            end = found.start() if found else len(text)
            self._bodies[key] = (self.source.cut(start, end), not quoted)
            self.position = min(len(text), found.end() + 1) if found else len(text)
        self._pending.clear()

    def _word(self) -> Word:
        text, size, start = self.source.text, len(self.source), self.position
        parts: list[Part] = []
        while self.position < size:
            here = self.position
            sign = text[here]
            plain = _PLAIN.match(text, here)
            if plain is not None:
                parts.append(Part(self.source.cut(here, plain.end())))
                self.position = plain.end()
            elif sign == "'":
                parts.append(self._single(here + 1))
            elif sign == '"':
                parts += self._double()
            elif text.startswith("$'", here):
                parts.append(self._single(here + 2, escapes=True))
            elif sign in "$`" + MASK:
                parts += self._expansion(quoted=False)
            elif sign == "\\":
                self._escape(parts)
            elif sign == "<" and (found := _PLACEHOLDER.match(text, here)):
                parts.append(Part(self.source.cut(here, found.end()), quoted=True, name="?"))
                self.position = found.end()
            elif sign in "#{}" or (self.blank_newlines and not sign.isspace()):
                parts.append(Part(self.source.cut(here, here + 1)))
                self.position += 1
            else:
                break
        return Word(tuple(parts), start, self.position)

    def _escape(self, parts: list[Part]) -> None:
        here = self.position
        self.position = min(here + 2, len(self.source))
        if self.source.text[here + 1 : here + 2] != "\n":
            parts.append(Part(self.source.cut(here + 1, here + 2), quoted=True))

    def _single(self, start: int, *, escapes: bool = False) -> Part:
        text = self.source.text
        end = start
        while True:
            end = text.find("'", end)
            if end < 0:
                self.open_quote, end = start - 1, len(text)
                break
            if not (escapes and text[end - 1] == "\\"):
                break
            end += 1
        self.position = min(len(text), end + 1)
        content = self.source.cut(start, end)
        masked = MASK in content.text
        return Part(content, quoted=True, name="?" if masked else None)

    def _double(self) -> Iterator[Part]:
        text, size, opened = self.source.text, len(self.source), self.position
        self.position += 1
        yield Part(self.source.cut(self.position, self.position), quoted=True)
        while self.position < size:
            here = self.position
            sign = text[here]
            plain = _DOUBLE_PLAIN.match(text, here)
            if plain is not None:
                self.position = plain.end()
                yield Part(self.source.cut(here, plain.end()), quoted=True)
            elif sign == '"':
                self.position += 1
                return
            elif sign == "\\":
                following = text[here + 1 : here + 2]
                self.position = min(here + 2, size)
                if following != "\n":
                    kept = here + 1 if following and following in '"\\$`' else here
                    yield Part(self.source.cut(kept, self.position), quoted=True)
            else:
                yield from self._expansion(quoted=True)
        self.open_quote = opened

    def _expansion(self, *, quoted: bool) -> Iterator[Part]:
        text, here = self.source.text, self.position
        sign, following = text[here], text[here + 1 : here + 2]
        if sign == MASK:
            while text[self.position : self.position + 1] == MASK:
                self.position += 1
            yield Part(self.source.cut(here, self.position), quoted, "?")
        elif sign == "`":
            end = text.find("`", here + 1)
            self.position = len(text) if end < 0 else end + 1
            yield Part(self.source.cut(here, self.position), quoted, "?")
        elif following == "(":
            self.position = _closing(text, here + 1, "(", ")")
            yield Part(self.source.cut(here, self.position), quoted, "?")
        elif following == "{":
            self.position = _closing(text, here + 1, "{", "}")
            yield self._braced(here, quoted=quoted)
        elif name := _NAME.match(text, here + 1):
            self.position = name.end()
            array = name[0] in {"@", "*"}
            yield Part(self.source.cut(here, name.end()), quoted, "@" if array else name[0], array)
        else:
            self.position += 1
            yield Part(self.source.cut(here, here + 1), quoted)

    def _braced(self, here: int, *, quoted: bool) -> Part:
        inside = self.source.cut(here + 2, max(here + 2, self.position - 1))
        whole = self.source.cut(here, self.position)
        found = _BRACED.match(inside.text)
        if found is None or (found[3] is None and found.end() < len(inside)):
            return Part(whole, quoted, "?")
        name, index, operator = found[1], found[2], found[3]
        array = index in {"[@]", "[*]"} or name in {"@", "*"}
        if index is not None and not array:
            return Part(whole, quoted, "?")
        name = "@" if name in {"@", "*"} else name
        if operator is None or operator.endswith("?"):
            return Part(whole, quoted, name, array)
        default = tuple(_default_parts(inside.cut(found.end())))
        return Part(whole, quoted, name, array, default, operator.endswith("+"))


def _default_parts(rest: Text) -> Iterator[Part]:
    """Read the word of `${name:-word}`: quotes and expansions in it count, blanks don't split it."""
    lexer = Lexer(rest)
    last = 0
    for item in lexer.run():
        start = item.start
        if start > last:
            yield Part(rest.cut(last, start))
        if isinstance(item, Word):
            yield from item.parts
            last = item.end
        else:
            last = start


def _closing(text: str, start: int, opening: str, closing: str) -> int:
    """Find the end of a bracket, quotes inside it passed over; the end of the text where it is open."""
    depth, here = 0, start
    while here < len(text):
        sign = text[here]
        if sign == "\\":
            here += 1
        elif sign == "'" and opening == "(":
            end = text.find("'", here + 1)
            here = len(text) if end < 0 else end
        elif sign == opening:
            depth += 1
        elif sign == closing:
            depth -= 1
            if depth == 0:
                return here + 1
        here += 1
    return len(text)
