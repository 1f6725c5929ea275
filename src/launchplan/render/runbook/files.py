"""The files of the runbook and the template of each."""

from __future__ import annotations

from launchplan.render.dossier import Dossier
from launchplan.render.environment import Printer
from launchplan.render.runbook.context import runbook
from launchplan.render.target import Cover, File


def files(dossier: Dossier, printer: Printer) -> tuple[File, ...]:
    """Make the runbook as Markdown and as a page."""
    book = runbook(dossier)
    return (
        File("RUNBOOK.md", printer.file("runbook/RUNBOOK.md.j2", book=book)),
        File("runbook.html", printer.file("runbook/runbook.html.j2", book=book)),
    )


TARGET = Cover(
    "runbook", "RUNBOOK.md and runbook.html: what to do, in numbers and pictures; in every bundle", files
)
