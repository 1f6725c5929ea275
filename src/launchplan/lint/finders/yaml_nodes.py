"""YAML as a tree of nodes whose scalars know where each of their characters stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from launchplan.errors import InputError
from launchplan.finding import Location
from launchplan.lint.text import MASK, SourceFile, Text
from launchplan.source import problem

_LOADER: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_NODES = 200_000
_ONLY_TEMPLATE = re.compile(rf"^[ \t]*(?:- )?({MASK}+)[ \t]*$", re.MULTILINE)
_UNPRINTABLE = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Yaml:
    """One text's documents; `templated` are the places of lines that a template fills or takes away."""

    text: Text
    documents: tuple[Node, ...]
    templated: tuple[int, ...]

    def has_template(self, node: Node) -> bool:
        """Tell whether a template decides about lines inside a node."""
        return any(node.start_mark.index <= place <= node.end_mark.index for place in self.templated)

    def scalar(self, node: ScalarNode) -> Text:
        """Give a scalar's value with the place of each character."""
        source, start, end = self.text.text, node.start_mark.index, node.end_mark.index
        value = str(node.value)
        if source[start:end] == value:
            return self.text.cut(start, end)
        begin = _content_start(source, start, node.style)
        places = _aligned(value, source, begin, end, escapes=node.style == '"')
        return Text(value, tuple(self.text.place(place) for place in places))

    def place(self, node: Node) -> int:
        """Give the offset in the file where a node begins."""
        return self.text.place(node.start_mark.index)


def read_yaml(text: Text, file: SourceFile) -> Yaml:
    """Read all documents of a text; raise `InputError` with the place where it is not YAML."""
    found = _UNPRINTABLE.search(text.text)
    if found is not None:
        message = f"the control character 0x{ord(found[0]):02x} stands here"
        raise InputError((problem("REC002", message, file.location(text.place(found.start()))),))
    templated: list[int] = []
    source = _ONLY_TEMPLATE.sub(lambda match: _commented(match, templated), text.text)
    loader = _LOADER(source)
    try:
        documents = []
        while loader.check_node():
            documents.append(loader.get_node())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        what = getattr(error, "problem", None) or str(error)
        place = file.location(text.place(min(mark.index, len(text)))) if mark else Location(file.name)
        fix = "indent with spaces, not tabs" if mark and "\t" in _line(source, mark.index) else None
        raise InputError((problem("REC002", f"not YAML: {what}", place, fix=fix),)) from error
    except (ValueError, RecursionError) as error:
        raise InputError((problem("REC002", "not YAML, or nested too deep", Location(file.name)),)) from error
    finally:
        loader.dispose()
    return Yaml(Text(source, text.places), tuple(node for node in documents if node), tuple(templated))


def _commented(match: re.Match[str], templated: list[int]) -> str:
    """Turn a line that only a template fills into a comment of its length; an item of a list stays one."""
    if "- " in match[0][: match.start(1) - match.start()]:
        return match[0]
    templated.append(match.start(1))
    indent = match[0][: match.start(1) - match.start()]
    return indent + "#" + match[0][len(indent) + 1 :]


def _line(source: str, index: int) -> str:
    return source[source.rfind("\n", 0, index) + 1 : index + 1]


def _content_start(source: str, start: int, style: str | None) -> int:
    """Skip the opening quote, or the header of a block scalar."""
    if style in {"'", '"'}:
        return start + 1
    if style in {"|", ">"}:
        end = source.find("\n", start)
        return len(source) if end < 0 else end + 1
    return start


def _aligned(value: str, source: str, start: int, end: int, *, escapes: bool) -> Iterator[int]:
    """Give the offset of each character of a scalar in its source: folding, indentation and quotes undone."""
    here = start
    for sign in value:
        if sign in " \n\t":
            yield here
            if source[here : here + 1] == sign:
                here += 1
            elif escapes and source[here : here + 1] == "\\":
                here += 2
            continue
        here = _skipped(source, here, end, escapes=escapes)
        yield min(here, max(start, end - 1))
        if (escapes and source[here : here + 1] == "\\" and sign != "\\") or (
            source.startswith(("''", "\\\\"), here) and sign in "'\\" and (sign == "'" or escapes)
        ):
            here += 2
        else:
            here += 1


def _skipped(source: str, here: int, end: int, *, escapes: bool) -> int:
    """Pass over what folding made a blank of."""
    while here < end:
        if source[here] in " \n\t":
            here += 1
        elif escapes and source.startswith("\\\n", here):
            here += 2
        else:
            break
    return here


def items(node: Node | None, seen: frozenset[int] = frozenset()) -> Iterator[tuple[ScalarNode, Node]]:
    """List the keys and values of a mapping, those of merged mappings behind its own."""
    if not isinstance(node, MappingNode) or id(node) in seen:
        return
    merged: list[Node] = []
    for key, value in node.value:
        if key.tag == "tag:yaml.org,2002:merge":
            merged += value.value if isinstance(value, SequenceNode) else [value]
        elif isinstance(key, ScalarNode):
            yield key, value
    for each in merged:
        yield from items(each, seen | {id(node)})


def get(node: Node | None, *path: str) -> Node | None:
    """Follow keys into nested mappings."""
    for name in path:
        node = next((value for key, value in items(node) if key.value == name), None)
    return node


def scalar_text(node: Node | None) -> str | None:
    """Give a scalar's value; None for anything else."""
    return str(node.value) if isinstance(node, ScalarNode) else None


def sequence(node: Node | None) -> list[Node]:
    """Give the items of a list; none for anything else."""
    return list(node.value) if isinstance(node, SequenceNode) else []


def mappings(node: Node) -> Iterator[tuple[MappingNode, tuple[MappingNode, ...]]]:
    """Walk over all mappings below a node, each with those around it, the outermost first; aliases once."""
    seen: set[int] = set()
    stack: list[tuple[Node, tuple[MappingNode, ...]]] = [(node, ())]
    while stack:
        here, around = stack.pop()
        if id(here) in seen or len(seen) > _MAX_NODES:
            continue
        seen.add(id(here))
        if isinstance(here, MappingNode):
            yield here, around
            stack += [(value, (*around, here)) for _, value in reversed(here.value)]
        elif isinstance(here, SequenceNode):
            stack += [(value, around) for value in reversed(here.value)]
