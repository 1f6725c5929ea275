"""Commands in systemd units: ExecStart with Environment."""

from __future__ import annotations

import re

from launchplan.lint.finders.search import Search
from launchplan.lint.finders.shell import take_statement
from launchplan.lint.shell import Scope, Script, Token, Value
from launchplan.lint.text import Text

_ENTRY = re.compile(r"^(?P<key>[A-Za-z]+)[ \t]*=[ \t]*(?P<value>(?:[^\n]*\\\n)*[^\n]*)$", re.MULTILINE)
_PREFIXES = "@-:+!|"


def find_in_unit(text: Text, search: Search) -> None:
    """Search what a unit starts; `${NAME}` is its own environment's."""
    scope = Scope()
    for found in _ENTRY.finditer(text.text):
        value = text.cut(found.start("value"), found.end("value"))
        if found["key"] == "Environment":
            for name, token in _assignments(value, scope):
                scope.assign(name, Value((token,)), export=True)
        elif found["key"] in {"ExecStart", "ExecStartPre"}:
            skipped = len(value.text) - len(value.text.lstrip(_PREFIXES))
            script = Script(value.cut(skipped), scope.copy(), blank_newlines=True)
            for statement in script.statements():
                take_statement(statement, search, search.around)


def _assignments(value: Text, scope: Scope) -> list[tuple[str, Token]]:
    line = Text("env " + value.text, (*(value.place(0),) * 4, *value.places))
    found = []
    for statement in Script(line, scope.copy(), blank_newlines=True).statements():
        for token in statement.tokens[1:]:
            name, sign, text = token.text.partition("=")
            if sign:
                found.append(
                    (name, Token(text, token.start, token.end, token.places[len(name) + 1 :], token.unknown))
                )
    return found
