"""The runbook: what somebody works from at three in the morning, as Markdown and as a page with pictures."""

from launchplan.render.runbook.files import TARGET

__all__ = ["TARGET"]
