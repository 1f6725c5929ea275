"""Read flags and environment variables out of an engine that is installed somewhere."""

from launchplan.catalog.record.facts import PROBE, facts_of, facts_text

__all__ = ["PROBE", "facts_of", "facts_text"]
