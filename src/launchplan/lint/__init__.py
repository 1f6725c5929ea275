"""Commands that somebody else wrote, checked by the rules that recipes are checked by."""

from launchplan.lint.command import NO_COMMAND, Command, find_command
from launchplan.lint.files import LintedFile, lint_text
from launchplan.lint.finders import KINDS
from launchplan.lint.fixes import applied, edits_of
from launchplan.lint.plan import Checked, Site, lint_command
from launchplan.lint.problems import PROBLEMS
from launchplan.lint.to_recipe import RecipeDraft, draft_recipe, recipe_of_command
from launchplan.lint.together import together

__all__ = [
    "KINDS",
    "NO_COMMAND",
    "PROBLEMS",
    "Checked",
    "Command",
    "LintedFile",
    "RecipeDraft",
    "Site",
    "applied",
    "draft_recipe",
    "edits_of",
    "find_command",
    "lint_command",
    "lint_text",
    "recipe_of_command",
    "together",
]
