"""From a launch to the files of its bundle, in memory; the same launch gives the same bytes."""

from launchplan.render.bundle import Bundle, render_bundle
from launchplan.render.target import File, Target
from launchplan.render.targets import TARGETS

__all__ = ["TARGETS", "Bundle", "File", "Target", "render_bundle"]
