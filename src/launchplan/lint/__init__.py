"""Commands that somebody else wrote, checked by the rules that recipes are checked by."""

from launchplan.lint.command import Command, find_command
from launchplan.lint.plan import Checked, Site, lint_command

__all__ = ["Checked", "Command", "Site", "find_command", "lint_command"]
