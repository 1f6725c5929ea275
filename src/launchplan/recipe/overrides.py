"""`--set parallel.tp=8`: change a document before it is read as a recipe."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from launchplan.errors import InputError
from launchplan.finding import KeyPath, Location
from launchplan.source import Document, Span, parse_text, problem

_PART = re.compile(r'"[^"]+"|[^."]+')
_INDEX = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class OverriddenDocument(Document):
    """A document some of whose values came from the command line; those are placed there."""

    overrides: tuple[tuple[KeyPath, str], ...] = ()

    def locate(self, path: KeyPath, *, key: bool = False) -> Location:
        """Find the place of a path: the `--set` that gave it, else its place in the file."""
        for target, text in reversed(self.overrides):
            if path[: len(target)] == target:
                return Location(f"--set {text}")
        return Document.locate(self, path, key=key)


def overridden(document: Document) -> frozenset[str]:
    """List the top-level keys that `--set` changed something of."""
    applied = document.overrides if isinstance(document, OverriddenDocument) else ()
    return frozenset(str(path[0]) for path, _ in applied if path)


def override(document: Document, settings: Iterable[str]) -> Document:
    """Apply `key.path=value` settings in order; raise `InputError` for one that can't be.

    The value is read as YAML, so `8` is a number and `fp8` a string; an empty value removes the key.
    Another `engine.name` drops the recipe's engine version and image, which belong to the first engine,
    unless they are set as well.
    """
    settings = tuple(settings)
    if not settings:
        return document
    data = copy.deepcopy(document.data)
    applied: list[tuple[KeyPath, str]] = []
    for text in settings:
        name, sign, written = text.partition("=")
        place = Location(f"--set {text}")
        if not sign or not name.strip():
            raise InputError(
                (problem("REC009", f"'{text}' has no value", place, fix="write key.path=value"),)
            )
        path = _path(name.strip(), place)
        value = parse_text(written, place.file).data if written.strip() else None
        if path == ("engine", "name") and isinstance(data, dict):
            _drop_other_engine(data, value)
        _put(data, path, value, place, remove=not written.strip())
        applied.append((path, text))
    spans = {path: span for path, span in document.spans.items() if not _touched(path, applied)}
    written_as = {path: text for path, text in document.written.items() if not _touched(path, applied)}
    base = replace(document, data=data, spans=spans or {(): Span((1, 1))}, written=written_as)
    return OverriddenDocument(base.data, base.file, base.text, base.spans, base.written, tuple(applied))


def _path(name: str, place: Location) -> KeyPath:
    # Flags keep their dots when quoted: args."compilation-config.mode"=3
    parts = _PART.findall(name)
    if ".".join(parts) != name:
        message = f"'{name}' is no path of keys"
        fix = "write key.path=value, and a key with dots in double quotes"
        raise InputError((problem("REC009", message, place, fix=fix),))
    return tuple(int(part) if _INDEX.fullmatch(part) else part.strip('"') for part in parts)


def _touched(path: KeyPath, applied: list[tuple[KeyPath, str]]) -> bool:
    return any(path[: len(target)] == target for target, _ in applied)


def _drop_other_engine(data: dict[str, Any], name: object) -> None:
    engine = data.get("engine")
    if isinstance(engine, dict) and engine.get("name") != name:
        for key in ("version", "image"):
            engine.pop(key, None)


def _put(data: Any, path: KeyPath, value: Any, place: Location, *, remove: bool) -> None:
    for depth, part in enumerate(path):
        last = depth == len(path) - 1
        if isinstance(data, dict):
            name = str(part)
            if last and remove:
                data.pop(name, None)
            elif last:
                data[name] = value
            else:
                if data.get(name) is None:
                    data[name] = {}
                data = data[name]
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            if last:
                data[part] = value
            else:
                data = data[part]
        else:
            message = f"'{part}' leads nowhere in {place.file.removeprefix('--set ')}"
            raise InputError((problem("REC009", message, place, path, "name a key of the recipe"),))
