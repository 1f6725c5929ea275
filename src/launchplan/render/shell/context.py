"""Everything that the templates of the shell target may print."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines import Launch, Variable
from launchplan.render.ray import SCRIPT
from launchplan.render.shell.bench import Bench, bench
from launchplan.render.shell.checks import Preflight, preflight
from launchplan.render.shell.endpoint import Endpoint, endpoint
from launchplan.render.shell.scripts import Script, scripts
from launchplan.render.shell.shellcheck import literal_codes

_UNUSED = "SC2034"


@dataclass(frozen=True, slots=True)
class EnvironmentFile:
    """One file of variables."""

    title: str
    variables: tuple[Variable, ...]

    @property
    def codes(self) -> str:
        """What ShellCheck would ask about a file of variables that other files read."""
        asked = literal_codes(each.value for each in self.variables)
        return f"{asked},{_UNUSED}" if asked else _UNUSED


@dataclass(frozen=True, slots=True)
class ShellPlan:
    """The context of the shell target."""

    name: str
    """The deployment's name."""
    engine: str
    """Engine and version."""
    scripts: tuple[Script, ...]
    environment: tuple[Variable, ...]
    """What every process shares."""
    endpoint: Endpoint
    preflight: Preflight
    bench: Bench
    with_ray: str
    """The script that servers run under whose ranks Ray places; empty where Ray has no part."""


def shell_plan(launch: Launch) -> ShellPlan:
    """Bring a launch into the form that the templates print."""
    deployment = launch.layout.resolved.deployment
    return ShellPlan(
        name=deployment.recipe.value.name,
        engine=deployment.engine_label,
        scripts=scripts(launch),
        environment=launch.env,
        endpoint=endpoint(launch),
        preflight=preflight(launch),
        bench=bench(launch),
        with_ray=SCRIPT if any(process.ray for process in launch.processes) else "",
    )
