"""The targets by name; a new one is a module and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from launchplan.render import runbook, shell
from launchplan.render.target import Cover, Target

TARGETS: Mapping[str, Target | Cover] = MappingProxyType(
    {
        "shell": shell.TARGET,
        "runbook": runbook.TARGET,
    }
)
