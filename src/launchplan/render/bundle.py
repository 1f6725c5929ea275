"""A bundle: the files of the wanted targets and their manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from launchplan.engines import Launch
from launchplan.errors import UnknownTargetError
from launchplan.finding import Finding
from launchplan.render.environment import printer
from launchplan.render.manifest import manifest
from launchplan.render.target import File
from launchplan.render.targets import TARGETS

ALL = "all"
"""The name that stands for every target."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of one launch, in memory."""

    name: str
    """The recipe's name; what the bundle's folder is usually called."""
    files: Mapping[str, bytes]
    """Content by path, in the order of the paths."""
    executable: frozenset[str]
    """Paths of the files that are run."""


def render_bundle(
    launch: Launch, findings: tuple[Finding, ...], targets: tuple[str, ...], templates: str | None
) -> Bundle:
    """Render a launch for the wanted targets.

    `templates` names a folder whose files replace the shipped ones. Raises `UnknownTargetError`,
    `TemplateError` for a template that cannot be used, and `UnprintableError` for a value that no command
    line can hold.
    """
    wanted = _known(targets)
    print_with = printer(templates)
    files: dict[str, File] = {}
    for name in wanted:
        for file in TARGETS[name].files(launch, findings, print_with):
            if file.path in files:
                raise ValueError(f"two targets make {file.path}")
            files[file.path] = file
    recorded = manifest(launch, wanted, files.values())
    files[recorded.path] = recorded
    content = MappingProxyType({path: files[path].content for path in sorted(files)})
    executable = frozenset(file.path for file in files.values() if file.executable)
    return Bundle(launch.layout.resolved.deployment.recipe.value.name, content, executable)


def _known(targets: Iterable[str]) -> tuple[str, ...]:
    """Give the wanted targets and those that they need in the order of the table, each once."""
    wanted = set(targets)
    for name in sorted(wanted - {ALL, *TARGETS}):
        raise UnknownTargetError(name, (*TARGETS, ALL))
    wanted.update(*(TARGETS[name].needs for name in wanted - {ALL}))
    return tuple(name for name in TARGETS if name in wanted or ALL in wanted)
