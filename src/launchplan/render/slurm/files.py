"""The file of the Slurm target."""

from __future__ import annotations

from launchplan.engines import Launch
from launchplan.finding import Finding
from launchplan.render.environment import Printer
from launchplan.render.slurm.context import slurm_plan
from launchplan.render.target import File, Target

PATH = "slurm/launch.sbatch"


def files(launch: Launch, _findings: tuple[Finding, ...], printer: Printer) -> tuple[File, ...]:
    """Make the batch script; what it starts on each host are the shell target's scripts."""
    content = printer.file("slurm/launch.sbatch.j2", plan=slurm_plan(launch))
    return (File(PATH, content),)


TARGET = Target("slurm", "one batch job that starts every process on its host", files, needs=("shell",))
