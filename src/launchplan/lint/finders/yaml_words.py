"""Words and environments as YAML writes them: lists of items, mappings, `NAME=value` lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from yaml.nodes import Node, ScalarNode, SequenceNode

from launchplan.lint.finders.yaml_nodes import Yaml, get, items, scalar_text, sequence
from launchplan.lint.shell import UNKNOWN_SIGN, Token
from launchplan.lint.text import MASK, Text, joined
from launchplan.units import decimal

_MASKED = re.compile(f"{MASK}+")


def token_of(yaml: Yaml, node: ScalarNode) -> Token:
    """Give a scalar as one word; what a template fills in is not known."""
    return token_of_text(
        yaml.scalar(node),
        yaml.place(node),
        yaml.text.place(max(node.start_mark.index, node.end_mark.index - 1)) + 1,
    )


def token_of_text(text: Text, start: int, end: int) -> Token:
    """Give a text as one word."""
    if MASK not in text.text:
        return Token(text.text, start, end, tuple(text.places))
    parts: list[Text] = []
    last = 0
    for found in _MASKED.finditer(text.text):
        parts += [text.cut(last, found.start()), Text(UNKNOWN_SIGN, (text.place(found.start()),))]
        last = found.end()
    parts.append(text.cut(last))
    whole = joined(parts)
    return Token(whole.text, start, end, tuple(whole.places), ("a template expression",))


def words_of(yaml: Yaml, node: Node | None) -> list[Token] | None:
    """Give the items of a list as words; None where there is no list."""
    if not isinstance(node, SequenceNode):
        return None
    return [token_of(yaml, item) for item in sequence(node) if isinstance(item, ScalarNode)]


def environment_of(yaml: Yaml, node: Node | None) -> dict[str, Token]:
    """Read an environment: a mapping, `NAME=value` items, or `{name, value}` items."""
    found: dict[str, Token] = {}
    for key, value in items(node):
        if isinstance(value, ScalarNode):
            found[str(key.value)] = replace(token_of(yaml, value), start=yaml.place(key))
        else:
            found[str(key.value)] = _unknown(yaml, key)
    for item in sequence(node):
        if isinstance(item, ScalarNode):
            _listed(yaml, item, found)
            continue
        name, given = get(item, "name"), get(item, "value")
        if isinstance(name, ScalarNode):
            token = token_of(yaml, given) if isinstance(given, ScalarNode) else _unknown(yaml, name)
            found[str(name.value)] = replace(token, start=yaml.place(name))
    return found


def _listed(yaml: Yaml, item: ScalarNode, found: dict[str, Token]) -> None:
    token = token_of(yaml, item)
    name, sign, text = token.text.partition("=")
    if sign:
        found[name] = replace(token, text=text, places=token.places[len(name) + 1 :])
    elif name.isidentifier():
        found[name] = _unknown(yaml, item)


def _unknown(yaml: Yaml, node: ScalarNode) -> Token:
    start = yaml.place(node)
    return Token(
        UNKNOWN_SIGN, start, start + len(str(node.value)), unknown=(str(node.value).partition("=")[0],)
    )


def whole_number(node: Node | None) -> int | None:
    """Read a positive whole number; None for anything else."""
    return decimal(scalar_text(node) or "") or None


def substituted(token: Token, pattern: re.Pattern[str], env: Mapping[str, Token], *, unset: bool) -> Token:
    """Fill in variables of the container's environment, as kubelet (`$(X)`) or compose (`${X}`) does.

    `unset` tells whether a name that nothing sets may be set elsewhere; else it stays as it is written.
    """
    if "$" not in token.text:
        return token
    text = Text(
        token.text, token.places if len(token.places) == len(token.text) else (token.start,) * len(token.text)
    )
    parts: list[Text] = []
    unknown = list(token.unknown)
    last = 0
    for found in pattern.finditer(token.text):
        parts.append(text.cut(last, found.start()))
        last = found.end()
        place = (text.place(found.start()),)
        name = found["name"]
        if name is None:
            parts.append(Text("$", place))
        elif name in env and env[name].known:
            parts.append(Text(env[name].text, place * len(env[name].text)))
        elif name in env or unset:
            default = found.groupdict().get("default")
            if default is not None and name not in env:
                parts.append(Text(default, place * len(default)))
            else:
                parts.append(Text(UNKNOWN_SIGN, place))
                unknown.append(found[0])
        else:
            parts.append(text.cut(found.start(), last))
    parts.append(text.cut(last))
    whole = joined(parts)
    return replace(token, text=whole.text, places=tuple(whole.places), unknown=tuple(dict.fromkeys(unknown)))
