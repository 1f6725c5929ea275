"""Who finds commands in which kind of file: one file a kind, and a table."""

from launchplan.lint.finders.kinds import KINDS, find_text, kind_of
from launchplan.lint.finders.search import Search

__all__ = ["KINDS", "Search", "find_text", "kind_of"]
