"""Commands in YAML: Kubernetes objects and compose files, one or many documents."""

from __future__ import annotations

from launchplan.lint.finders.compose import find_in_services
from launchplan.lint.finders.kubernetes import find_in_object
from launchplan.lint.finders.search import Search
from launchplan.lint.finders.yaml_nodes import get, read_yaml, scalar_text
from launchplan.lint.text import Text


def find_in_yaml(text: Text, search: Search) -> None:
    """Search every document for what it is; raises `InputError` where the text is not YAML."""
    yaml = read_yaml(text, search.file)
    for document in yaml.documents:
        if get(document, "services") is not None and scalar_text(get(document, "kind")) is None:
            find_in_services(yaml, document, search)
        else:
            find_in_object(yaml, document, search)
