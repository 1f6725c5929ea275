"""The shell target: plain bash scripts, environment files and a runbook."""

from launchplan.render.shell.files import TARGET

__all__ = ["TARGET"]
