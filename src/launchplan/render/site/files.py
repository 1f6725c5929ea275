"""The files of a site and the template of its index."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import quote

from launchplan import __version__
from launchplan.render.bundle import Bundle
from launchplan.render.environment import printer
from launchplan.render.manifest import PATH as MANIFEST
from launchplan.render.manifest import listed
from launchplan.render.site.context import Card, Choice, Index, Link
from launchplan.render.site.entries import Entry
from launchplan.render.target import File
from launchplan.units import plural

_FOLDER = "recipes"


@dataclass(frozen=True, slots=True)
class Shelved:
    """A recipe with the files that the site has of it."""

    entry: Entry
    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    """Runbook and recipe by name; nothing of a file that cannot be read."""


def site_bundle(title: str, shelved: tuple[Shelved, ...], templates: str | None) -> Bundle:
    """Make the files of a site; the same recipes give the same bytes.

    Raises `TemplateError` for a template that cannot be used.
    """
    folders = _folders(shelved)
    files = [
        File(f"{folders[each.entry.file]}/{name}", content)
        for each in shelved
        for name, content in each.files.items()
    ]
    cards = tuple(_card(each, folders[each.entry.file]) for each in shelved)
    entries = [each.entry for each in shelved]
    index = Index(title, plural(len(shelved), "recipe"), tuple(_choices(entries)), cards)
    files.append(File("index.html", printer(templates).file("site/index.html.j2", index=index)))
    content = {"files": listed(files), "format": 1, "launchplan": __version__, "site": title}
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    files.append(File(MANIFEST, text.encode()))
    by_path = {file.path: file.content for file in sorted(files, key=lambda file: file.path)}
    return Bundle(title, MappingProxyType(by_path), frozenset())


def home_of(file: str) -> str:
    """Give the address of the index from the folder of a recipe's runbook."""
    return "../" * (file.count("/") + 2) + "index.html"


def _folders(shelved: tuple[Shelved, ...]) -> dict[str, str]:
    """Give each recipe a folder: its path, with the suffix where two files differ in nothing else."""
    files = [each.entry.file for each in shelved]
    bare = [file.rpartition(".")[0] or file for file in files]
    return {
        file: f"{_FOLDER}/{stem if bare.count(stem) == 1 else file}"
        for file, stem in zip(files, bare, strict=True)
    }


def _card(shelved: Shelved, folder: str) -> Card:
    entry = shelved.entry
    links = {name: quote(f"{folder}/{name}") for name in shelved.files}
    others = tuple(Link(name, address) for name, address in links.items() if name != "runbook.html")
    words = (entry.file, entry.name, entry.summary, entry.model, entry.gpus, entry.engine, entry.evidence)
    return Card(entry, links.get("runbook.html", ""), others, " ".join(words).lower())


def _choices(entries: Iterable[Entry]) -> Iterable[Choice]:
    known = [entry for entry in entries if entry.readable]
    for key in ("model", "gpu", "engine", "evidence"):
        yield Choice(key, tuple(sorted({getattr(entry, key) for entry in known})))
    yield Choice("state", tuple(sorted({entry.state for entry in entries})))
