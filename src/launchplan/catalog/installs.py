"""How a release of an engine is installed on hosts with a vendor's GPUs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from launchplan.catalog.base import Fact, Sourced
from launchplan.catalog.load import DATA, read_fact
from launchplan.catalog.version import is_published, version_key


class Install(Fact):
    """The commands of some releases: `{version}` stands for the release; `until` is the last one."""

    engine: Literal["vllm", "sglang"]
    vendor: Literal["nvidia", "amd"]
    since: str
    until: str | None = None
    python: str | None = None
    """The Python that the environment is made with."""
    commands: tuple[str, ...]
    """Lines of bash; none where there are no wheels."""
    asks: tuple[str, ...] = ()
    """What has to be looked up before they run."""
    notes: tuple[str, ...] = ()


class Installs(Sourced):
    """Every way that is known, the more exact one first."""

    installs: tuple[Install, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Instructions:
    """How one release is installed."""

    commands: tuple[str, ...]
    """Lines of bash, the environment first; none where there are no wheels."""
    asks: tuple[str, ...]
    notes: tuple[str, ...]


@cache
def installs() -> Installs:
    """Return the ways to install the engines."""
    return read_fact(Installs, DATA / "installs.yaml")


def engine_install(engine: str, version: str, vendor: str) -> Instructions | None:
    """Tell how a release is installed for a vendor's GPUs; None when nothing tells it."""
    for each in installs().installs if is_published(version) else ():
        if (each.engine, each.vendor) == (engine, vendor) and _holds(each, version):
            release = version.removeprefix("v")
            made = (f"uv venv --python {each.python}", "source .venv/bin/activate") if each.python else ()
            return Instructions(
                (*made, *(line.format(version=release) for line in each.commands)),
                tuple(ask.format(version=release) for ask in each.asks),
                tuple(note.format(version=release) for note in each.notes),
            )
    return None


def _holds(install: Install, version: str) -> bool:
    asked = version_key(version)
    return version_key(install.since) <= asked and (
        install.until is None or asked <= version_key(install.until)
    )
