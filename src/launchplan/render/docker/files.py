"""The files of the docker target and the template of each."""

from __future__ import annotations

from launchplan.engines import Launch
from launchplan.finding import Finding
from launchplan.render.docker.context import docker_plan
from launchplan.render.environment import Printer
from launchplan.render.target import File, Target


def files(launch: Launch, findings: tuple[Finding, ...], printer: Printer) -> tuple[File, ...]:  # noqa: ARG001
    """Make a script a process, and one that stops what runs of them on a host."""
    plan = docker_plan(launch)
    made = [
        File(f"docker/{script.name}.sh", printer.file("docker/run.sh.j2", plan=plan, script=script), True)
        for script in plan.scripts
    ]
    return (*made, File("docker/stop.sh", printer.file("docker/stop.sh.j2", plan=plan), True))


TARGET = Target("docker", "a `docker run` script for each process", files)
