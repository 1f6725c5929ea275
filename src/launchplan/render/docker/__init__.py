"""The docker target: one `docker run` script a process."""

from launchplan.render.docker.files import TARGET

__all__ = ["TARGET"]
