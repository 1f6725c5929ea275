"""The systemd target: a unit a process, for hosts without a scheduler."""

from launchplan.render.systemd.files import TARGET

__all__ = ["TARGET"]
