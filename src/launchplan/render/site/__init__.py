"""A static site of a folder of recipes: an index to search, and the runbook of each."""

from launchplan.render.site.entries import Entry, readable_entry, unreadable_entry
from launchplan.render.site.files import Shelved, home_of, site_bundle

__all__ = ["Entry", "Shelved", "home_of", "readable_entry", "site_bundle", "unreadable_entry"]
