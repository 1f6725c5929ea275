"""What a check found, in the formats that people and tools read: one small file a format."""

from launchplan.report.github import github_report
from launchplan.report.json_format import json_report
from launchplan.report.sarif import sarif_report
from launchplan.report.text import finding_text, text_report
from launchplan.report.types import Checked, Totals, titles, totals

__all__ = [
    "Checked",
    "Totals",
    "finding_text",
    "github_report",
    "json_report",
    "sarif_report",
    "text_report",
    "titles",
    "totals",
]
