"""The targets by name; a new one is a module and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from launchplan.render import compose, docker, kubernetes, shell, slurm, systemd
from launchplan.render.target import Target

TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        "shell": shell.TARGET,
        "docker": docker.TARGET,
        "compose": compose.TARGET,
        "kubernetes": kubernetes.TARGET,
        "slurm": slurm.TARGET,
        "systemd": systemd.TARGET,
    }
)
