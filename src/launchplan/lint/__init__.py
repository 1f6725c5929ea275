"""Commands that somebody else wrote, checked by the rules that recipes are checked by."""

from launchplan.lint.command import Command, find_command
from launchplan.lint.plan import Checked, Site, lint_command
from launchplan.lint.to_recipe import RecipeDraft, draft_recipe

__all__ = ["Checked", "Command", "RecipeDraft", "Site", "draft_recipe", "find_command", "lint_command"]
