"""The files of the shell target and the template of each."""

from __future__ import annotations

from launchplan.engines import Launch
from launchplan.finding import Finding
from launchplan.render.environment import Printer
from launchplan.render.shell.context import EnvironmentFile, shell_plan
from launchplan.render.target import File, Target

HELPERS = ("preflight", "wait-ready", "smoke", "bench")
"""Scripts beside those of the processes; each has the template of its name."""


def files(launch: Launch, _findings: tuple[Finding, ...], printer: Printer) -> tuple[File, ...]:
    """Make a script and an environment file a process, and the helpers."""
    plan = shell_plan(launch)
    shared = EnvironmentFile("what every process shares", plan.environment)
    made = [_environment("common", shared, printer)]
    for script in plan.scripts:
        content = printer.file("shell/process.sh.j2", plan=plan, script=script)
        made.append(File(f"{script.name}.sh", content, executable=True))
        own = EnvironmentFile(f"what {script.name} has on top of common.env", script.env)
        made.append(_environment(script.name, own, printer))
    for name in (*HELPERS, *(["with-ray"] if plan.with_ray else [])):
        content = printer.file(f"shell/{name}.sh.j2", plan=plan)
        made.append(File(f"{name}.sh", content, executable=True))
    return tuple(made)


def _environment(name: str, environment: EnvironmentFile, printer: Printer) -> File:
    return File(f"env/{name}.env", printer.file("shell/process.env.j2", environment=environment))


TARGET = Target("shell", "bash scripts for each process, checks and a load test", files)
