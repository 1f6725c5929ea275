"""The compose target: one Compose file a host."""

from launchplan.render.compose.files import TARGET

__all__ = ["TARGET"]
