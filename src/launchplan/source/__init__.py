"""YAML and JSON text read with the line and column of every key and value."""

from launchplan.source.document import Document, Span
from launchplan.source.files import read_document, read_json, read_text
from launchplan.source.problem import problem
from launchplan.source.yaml_text import parse_text

__all__ = ["Document", "Span", "parse_text", "problem", "read_document", "read_json", "read_text"]
