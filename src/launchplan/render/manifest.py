"""The manifest: what a bundle was made from and holds; nothing of the clock, the host or its paths."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from launchplan import __version__
from launchplan.engines import Launch
from launchplan.recipe import Loaded
from launchplan.recipe.overrides import OverriddenDocument
from launchplan.render.target import File

PATH = "manifest.json"
FORMAT = 1


def manifest(launch: Launch, targets: tuple[str, ...], files: Iterable[File]) -> File:
    """Make the manifest of a bundle's other files."""
    deployment = launch.layout.resolved.deployment
    facts = deployment.facts
    document = deployment.recipe.document
    content = {
        "cluster": _identity(deployment.cluster) if deployment.cluster else None,
        "engine": {
            "facts": facts.version if facts else None,
            "name": deployment.engine,
            "version": deployment.version,
        },
        "files": listed(files),
        "format": FORMAT,
        "launchplan": __version__,
        "recipe": _identity(deployment.recipe),
        "set": [text for _, text in document.overrides] if isinstance(document, OverriddenDocument) else [],
        "targets": list(targets),
    }
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    return File(PATH, text.encode())


def listed(files: Iterable[File]) -> dict[str, dict[str, str]]:
    """Give mode and digest of each file, by path."""
    return {file.path: _entry(file) for file in files}


def _identity(loaded: Loaded[Any]) -> dict[str, str]:
    """Name a file and its content: the text, or canonical JSON of data that never was text."""
    document = loaded.document
    text = document.text or json.dumps(
        document.data, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    return {
        "name": loaded.value.name,
        "sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
    }


def _entry(file: File) -> dict[str, str]:
    mode = "0755" if file.executable else "0644"
    return {"mode": mode, "sha256": hashlib.sha256(file.content).hexdigest()}
