"""The files of the systemd target."""

from __future__ import annotations

from launchplan.engines import Launch
from launchplan.finding import Finding
from launchplan.render.environment import Printer
from launchplan.render.systemd.context import systemd_plan
from launchplan.render.target import File, Target


def files(launch: Launch, _findings: tuple[Finding, ...], printer: Printer) -> tuple[File, ...]:
    """Make a unit and an environment file a process, and what the units share."""
    plan = systemd_plan(launch)
    made = [
        File("systemd/site.env", printer.file("systemd/site.env.j2", plan=plan)),
        File("systemd/healthy.sh", printer.file("systemd/healthy.sh.j2", plan=plan), executable=True),
    ]
    for unit in plan.units:
        made.append(
            File(
                f"systemd/{unit.name}.service", printer.file("systemd/unit.service.j2", plan=plan, unit=unit)
            )
        )
        made.append(
            File(f"systemd/{unit.name}.env", printer.file("systemd/unit.env.j2", plan=plan, unit=unit))
        )
    return tuple(made)


TARGET = Target(
    "systemd", "a systemd unit for each process on hosts without a scheduler", files, needs=("shell",)
)
