"""The targets by name; a new one is a module and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from launchplan.render import shell, slurm, systemd
from launchplan.render.target import Target

TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        "shell": shell.TARGET,
        "slurm": slurm.TARGET,
        "systemd": systemd.TARGET,
    }
)
