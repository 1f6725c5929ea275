"""Simple commands of a script in order, each with its arguments and the environment that it starts with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from launchplan.lint.shell.lexer import Lexer
from launchplan.lint.shell.scope import UNKNOWN_SIGN, Scope, Token, Value, assignment
from launchplan.lint.shell.words import Operator, Redirection, Word
from launchplan.lint.text import Text

_OPENERS = frozenset({"if", "for", "while", "until", "case", "select"})
_MIDDLE = frozenset({"then", "do", "else", "elif", "!", "{", "}", "time", "in"})
_CLOSERS = frozenset({"fi", "done", "esac"})
_DECLARING = frozenset({"export", "declare", "local", "readonly", "typeset"})
_COUNTED = frozenset({"for", "select"})


@dataclass(frozen=True, slots=True)
class Document:
    """A here document that a command reads."""

    body: Text
    expands: bool
    target: str | None
    """The file that the command writes, where the text says it."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One simple command."""

    tokens: tuple[Token, ...]
    env: Mapping[str, Token]
    """Variables that the process gets from the script: those exported, then those before the command."""
    documents: tuple[Document, ...] = ()
    after: str = ""
    """The operator that ends it."""


@dataclass(slots=True)
class Script:
    """Statements of one script; `scope` is what its variables hold at the end."""

    source: Text
    scope: Scope = field(default_factory=Scope)
    blank_newlines: bool = False
    open_quote: int | None = None
    """Offset in the file of a quote that nothing closes."""
    _branches: list[set[str]] = field(default_factory=list)

    def statements(self) -> Iterator[Statement]:
        """Run through the script; every variable is as it is known at that point."""
        lexer = Lexer(self.source, self.blank_newlines)
        items = lexer.run()
        if lexer.open_quote is not None:
            self.open_quote = self.source.place(lexer.open_quote)
        held: list[Word | Redirection] = []
        place = 0
        while place < len(items):
            item = items[place]
            if isinstance(item, Operator):
                place = self._array(items, place, held) if item.text == "(" else place
                if place < 0 or items[place] is item:
                    yield from self._statement(held, item.text)
                    held = []
            else:
                held.append(item)
            place += 1
        yield from self._statement(held, "")

    def _array(
        self, items: list[Word | Operator | Redirection], place: int, held: list[Word | Redirection]
    ) -> int:
        """Take `NAME=(a b)` at its bracket; give the place of its end, or the same place where it is none."""
        last = held[-1] if held else None
        found = assignment(last) if isinstance(last, Word) else None
        bracket = items[place]
        if last is None or found is None or not isinstance(last, Word) or last.end != bracket.start:
            return place
        end = place + 1
        tokens: list[Token] = []
        while end < len(items):
            item = items[end]
            if isinstance(item, Operator) and item.text == ")":
                break
            if isinstance(item, Word):
                tokens += self.scope.expand(item, self.source)
            end += 1
        else:
            return place
        held.pop()
        name, append, _ = found
        self._assign(name, Value(tuple(tokens), array=True), append=append)
        return end

    def _statement(self, held: list[Word | Redirection], after: str) -> Iterator[Statement]:
        words = [item for item in held if isinstance(item, Word)]
        words = self._keywords(words)
        before: dict[str, Token] = {}
        given = dict(self.scope.exported)
        while words and (found := assignment(words[0])) is not None:
            name, append, rest = found
            token = self.scope.one(rest, self.source)
            start = self.source.place(words[0].start)
            before[name] = replace(token, start=start)
            words = words[1:]
            if not words:
                for each, value in before.items():
                    self._assign(each, Value((value,)), append=append)
                return
        if not words:
            return
        if words[0].plain in _DECLARING:
            self._declare(words)
            return
        self._builtin(words)
        tokens: list[Token] = []
        for word in words:
            tokens += self.scope.expand(word, self.source)
        documents = tuple(_documents(held))
        if tokens:
            yield Statement(tuple(tokens), given | before, documents, after)

    def _keywords(self, words: list[Word]) -> list[Word]:
        while words:
            text = words[0].plain
            if text in _OPENERS:
                self._branches.append(set())
                if text in _COUNTED and len(words) > 1 and (name := words[1].plain):
                    self._branches[-1].add(name)
                    self.scope.forget(name)
                    return []
                if text == "case":
                    return []
            elif text in _CLOSERS:
                for name in self._branches.pop() if self._branches else ():
                    self.scope.forget(name)
                    if self._branches:
                        self._branches[-1].add(name)
            elif text in {"else", "elif"}:
                for name in self._branches[-1] if self._branches else ():
                    self.scope.forget(name)
            elif text not in _MIDDLE:
                break
            words = words[1:]
        return words

    def _assign(self, name: str, value: Value, *, append: bool = False, export: bool = False) -> None:
        self.scope.assign(name, value, append=append, export=export)
        if self._branches:
            self._branches[-1].add(name)

    def _declare(self, words: list[Word]) -> None:
        export = words[0].plain == "export"
        for word in words[1:]:
            found = assignment(word)
            plain = word.plain
            if found is not None:
                token = replace(self.scope.one(found[2], self.source), start=self.source.place(word.start))
                self._assign(found[0], Value((token,)), append=found[1], export=export)
            elif plain is not None and plain.startswith("-"):
                export = export or "x" in plain
            elif plain is not None and export:
                place = self.source.place(word.start)
                self.scope.export(plain, Token(plain, place, place + len(plain)))

    def _builtin(self, words: list[Word]) -> None:
        """Follow what changes variables: `set -a`, `unset X`, `read X`, `: "${X:=default}"`."""
        plain = [word.plain for word in words]
        if plain[0] == "set" and len(plain) > 1:
            if plain[1] in {"-a", "+a"} or plain[1:3] == ["-o", "allexport"]:
                self.scope.export_all = plain[1] != "+a"
        elif plain[0] == "unset":
            for name in plain[1:]:
                self.scope.values.pop(name or "", None)
                self.scope.exported.pop(name or "", None)
        elif plain[0] in {"read", "mapfile", "readarray", "getopts"}:
            for name in plain[1:]:
                if name and not name.startswith("-"):
                    self.scope.forget(name)
        for word in words if plain[0] == ":" else ():
            for part in word.parts:
                if part.name and part.default is not None and part.name not in self.scope.values:
                    token = self.scope.one(Word((part,), word.start, word.end), self.source)
                    self._assign(part.name, Value((token,)))


def _documents(held: list[Word | Redirection]) -> Iterator[Document]:
    target = None
    for item in held:
        if isinstance(item, Redirection) and item.sign in {">", ">>", ">|"} and item.target is not None:
            target = item.target.plain
    for item in held:
        if isinstance(item, Redirection) and item.body is not None:
            yield Document(item.body, item.expands, target)


__all__ = ["UNKNOWN_SIGN", "Document", "Scope", "Script", "Statement", "Token"]
