"""Read YAML as JSON types only, and remember where everything stands.

YAML 1.1 turns `no` into false, `010` into 8, `4:00:00` into 14400 and dates into objects. None of that is
wanted in a recipe, so the loader has its own resolvers: null, true/false, decimal integers and floats;
everything else is the string that was written.
"""

from __future__ import annotations

import math
import re
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from launchplan.errors import InputError
from launchplan.finding import Finding, KeyPath, Location
from launchplan.source.document import Document, Span
from launchplan.source.problem import problem

_BASE: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_CHARACTERS = 1_000_000
_MAX_NODES = 200_000
_UNPRINTABLE = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What a YAML stream can't hold (YAML 1.1, 5.1)."""
_TAG = "tag:yaml.org,2002:"


class _Loader(_BASE):  # type: ignore[misc] # one of two classes, by what PyYAML was built with
    """A safe loader with JSON's types."""


_WHOLE = r"[-+]?(?:0|[1-9][0-9]*(?:_[0-9]+)*)"
_EXPONENT = r"[eE][-+]?[0-9]+"
_FRACTION = rf"[-+]?(?:(?:0|[1-9][0-9]*)\.[0-9]*(?:{_EXPONENT})?|\.[0-9]+(?:{_EXPONENT})?|[0-9]+{_EXPONENT})"
_Loader.yaml_implicit_resolvers = {}
for _name, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", _WHOLE, list("-+0123456789")),
    ("float", _FRACTION, list("-+0123456789.")),
    ("merge", r"<<", ["<"]),
):
    _Loader.add_implicit_resolver(_TAG + _name, re.compile(f"^(?:{_pattern})$"), _first)


def parse_text(text: str, file: str) -> Document:
    """Parse YAML (or JSON) text into a document of JSON types.

    Raises `InputError` when the text is not YAML, has a key twice, or uses a tag or key that JSON has not.
    """
    if len(text) > _MAX_CHARACTERS:
        raise InputError((problem("REC001", f"{len(text):,} characters are too many", Location(file)),))
    text = text.removeprefix("\ufeff")
    unprintable = _UNPRINTABLE.search(text)
    if unprintable is not None:
        raise InputError((_unprintable_problem(unprintable, file, text),))
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
    except yaml.YAMLError as error:
        raise InputError((_syntax_problem(error, file, text),)) from error
    except ValueError as error:  # a character reference beyond Unicode
        raise InputError((problem("REC002", f"not YAML: {error}", Location(file)),)) from error
    finally:
        loader.dispose()
    walk = _Walk(file)
    try:
        data = walk.build(node, (), None) if node is not None else None
    except RecursionError as error:
        raise InputError((problem("REC002", "nested too deep to be a recipe", walk.here),)) from error
    if walk.problems:
        raise InputError(tuple(walk.problems[place] for place in sorted(walk.problems)))
    return Document(data, file, text, walk.spans, walk.written)


def _unprintable_problem(found: re.Match[str], file: str, text: str) -> Finding:
    before = text[: found.start()]
    place = Location(file, before.count("\n") + 1, found.start() - before.rfind("\n"))
    message = f"the control character 0x{ord(found[0]):02x} stands here"
    return problem("REC002", message, place, fix='remove it, or write it in double quotes as "\\x.."')


def _syntax_problem(error: yaml.YAMLError, file: str, text: str) -> Finding:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    if mark is None:
        return problem("REC002", f"not YAML: {what}", Location(file))
    place = Location(file, mark.line + 1, mark.column + 1)
    lines = text.splitlines()
    written = lines[mark.line] if mark.line < len(lines) else ""
    fix = None
    if "\t" in written[: mark.column + 1]:
        fix = "indent with spaces, not tabs"
    elif "mapping values are not allowed" in what:
        fix = "put a value that holds ': ' in quotes"
    elif what == "but found another document":
        what, fix = "a second document begins", "keep one document a file"
    return problem("REC002", f"not YAML: {what}", place, fix=fix)


class _Walk:
    """One pass over the node tree: data, places, and what is wrong with the text."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.spans: dict[KeyPath, Span] = {}
        self.written: dict[KeyPath, str] = {}
        self.problems: dict[tuple[int, int], Finding] = {}
        self._nodes = 0
        self.here = Location(file)
        """Where the walk is."""

    def build(self, node: Node, path: KeyPath, key: tuple[int, int] | None) -> Any:
        self._nodes += 1
        self.here = self._place(node)
        if self._nodes > _MAX_NODES:  # aliases of aliases grow without end
            place = self._place(node)
            raise InputError((problem("REC001", f"more than {_MAX_NODES:,} values", place, path),))
        self.spans[path] = Span(_position(node), key)
        if isinstance(node, MappingNode):
            return self._mapping(node, path)
        if isinstance(node, SequenceNode):
            self._expect_tag(node, path, "seq")
            return [self.build(child, (*path, index), None) for index, child in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: MappingNode, path: KeyPath) -> dict[str, Any]:
        self._expect_tag(node, path, "map")
        data: dict[str, Any] = {}
        own: dict[str, tuple[int, int]] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _TAG + "merge":
                for name, value in self._merged(value_node, path).items():
                    data.setdefault(name, value)
                continue
            if not isinstance(key_node, ScalarNode):
                self._complain("REC002", "a key must be a word", key_node, path)
                continue
            name, position = str(key_node.value), _position(key_node)
            if name in own:
                line = own[name][0]
                message = f"'{name}' stands twice, first in line {line}"
                self._complain("REC003", message, key_node, (*path, name), "keep one of them")
                continue
            own[name] = position
            data[name] = self.build(value_node, (*path, name), position)
        return data

    def _merged(self, node: Node, path: KeyPath) -> dict[str, Any]:
        nodes = node.value if isinstance(node, SequenceNode) else [node]
        data: dict[str, Any] = {}
        for source in nodes:
            if not isinstance(source, MappingNode):
                self._complain("REC002", "'<<' takes a mapping", source, path)
                continue
            kept_spans, kept_written = dict(self.spans), dict(self.written)
            merged = self._mapping(source, path)
            # What the mapping says itself stands where it says it, not where the anchor stands.
            self.spans |= kept_spans
            self.written |= kept_written
            data = merged | data
        return data

    def _scalar(self, node: Node, path: KeyPath) -> Any:
        text = str(node.value)
        self.written[path] = text
        kind = node.tag.removeprefix(_TAG)
        try:
            match kind:
                case "str":
                    return text
                case "null":
                    return None
                case "bool":
                    return text.lower() == "true"
                case "int":
                    return int(text.replace("_", ""))
                case "float":
                    number = float(text)
                    if math.isfinite(number):
                        return number
        except ValueError:
            pass  # an explicit tag on a text that isn't one
        self._complain("REC002", f"'{text[:40]}' cannot be read as {kind}", node, path, "write a plain value")
        return None

    def _expect_tag(self, node: Node, path: KeyPath, kind: str) -> None:
        if node.tag != _TAG + kind:
            self._complain("REC002", f"the tag {node.tag} is not known here", node, path, "remove the tag")

    def _complain(self, code: str, message: str, node: Node, path: KeyPath, fix: str | None = None) -> None:
        self.problems.setdefault(_position(node), problem(code, message, self._place(node), path, fix))

    def _place(self, node: Node) -> Location:
        return Location(self.file, *_position(node))


def _position(node: Node) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1
