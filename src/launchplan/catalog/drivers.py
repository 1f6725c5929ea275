"""The toolkit that an engine's release is built with, and the oldest driver that runs it."""

from __future__ import annotations

from functools import cache
from typing import Literal

from pydantic import Field

from launchplan.catalog.base import Fact, Sourced
from launchplan.catalog.load import DATA, read_fact
from launchplan.catalog.version import is_published, version_key


class Toolkit(Fact):
    """What wheels and images hold from one release of an engine on."""

    engine: Literal["vllm", "sglang"]
    vendor: Literal["nvidia", "amd"]
    since: str
    toolkit: str
    """As people call it: `CUDA 13`."""
    driver: str = Field(pattern=r"^\d+(\.\d+)*$")
    """The oldest driver that runs it without further packages."""


class Drivers(Sourced):
    """Every toolkit that is known, the newest release of an engine last."""

    toolkits: tuple[Toolkit, ...]
    notes: tuple[str, ...] = ()


@cache
def drivers() -> Drivers:
    """Return the toolkits of the engines."""
    return read_fact(Drivers, DATA / "drivers.yaml")


def engine_toolkit(engine: str, version: str, vendor: str) -> Toolkit | None:
    """Return what a release is built with for a vendor's GPUs; None when nothing tells it."""
    asked = version_key(version)
    known = (
        each
        for each in reversed(drivers().toolkits)
        if (each.engine, each.vendor) == (engine, vendor) and version_key(each.since) <= asked
    )
    return next(known, None) if is_published(version) else None
