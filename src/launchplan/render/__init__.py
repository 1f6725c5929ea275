"""From a launch to the files of its bundle, in memory; the same launch gives the same bytes."""

from launchplan.render.bundle import Bundle, render_bundle
from launchplan.render.dossier import Background, Reason
from launchplan.render.target import Cover, File, Target
from launchplan.render.targets import TARGETS

__all__ = ["TARGETS", "Background", "Bundle", "Cover", "File", "Reason", "Target", "render_bundle"]
