"""The files of the compose target and the template of each."""

from __future__ import annotations

from launchplan.engines import Launch
from launchplan.finding import Finding
from launchplan.render.compose.context import compose_plan
from launchplan.render.environment import Printer
from launchplan.render.target import File, Target


def files(launch: Launch, findings: tuple[Finding, ...], printer: Printer) -> tuple[File, ...]:  # noqa: ARG001
    """Make a folder a host with its Compose file and the environment file of each service."""
    plan = compose_plan(launch)
    made: list[File] = []
    for file in plan.files:
        folder = f"compose/{file.folder}"
        content = printer.file("compose/docker-compose.yaml.j2", plan=plan, file=file)
        made.append(File(f"{folder}/docker-compose.yaml", content))
        for service in file.services:
            environment = printer.file("compose/service.env.j2", plan=plan, service=service)
            made.append(File(f"{folder}/{service.name}.env", environment))
    return tuple(made)


TARGET = Target("compose", "a Docker Compose file for each host", files)
