"""Kinds of files that hold commands: by name, by content, and who searches them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import PurePath

from launchplan.lint.finders.search import Search
from launchplan.lint.text import Text

_SUFFIXES = {
    ".sh": "shell", ".bash": "shell", ".zsh": "shell", ".ksh": "shell", ".sbatch": "shell", ".slurm": "shell",
    ".job": "shell", ".md": "markdown", ".markdown": "markdown", ".mdx": "markdown",
    ".dockerfile": "dockerfile", ".yaml": "yaml", ".yml": "yaml", ".json": "yaml", ".tpl": "yaml",
    ".service": "systemd", ".html": "html", ".htm": "html", ".xhtml": "html",
}  # fmt: skip
_TEMPLATES = frozenset({".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".template", ".in"})
_DOCKERFILE = re.compile(
    r"(?:Dockerfile|Containerfile)(?:[.\-_].*)?|.*\.(?:Dockerfile|Containerfile)", re.IGNORECASE
)
_INSTRUCTION = re.compile(r"^(?:ARG .*\n|#.*\n|\s*\n)*FROM [^\s(]+", re.MULTILINE | re.IGNORECASE)
_YAML = re.compile(r"^(?:apiVersion|kind|services|spec|containers)\s*:", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_PAGE = re.compile(r"<!doctype html|<html\b", re.IGNORECASE)
_UNIT = re.compile(r"^\[Service\]\s*$", re.MULTILINE)
_OTHER_LANGUAGE = re.compile(r"\A(?:#!.*python|import |from \w+ import )")


def kind_of(name: str, text: str) -> str:
    """Tell a file's kind by its name, or by its content where the name does not."""
    path = PurePath(name)
    if _DOCKERFILE.fullmatch(path.name):
        return "dockerfile"
    suffix = path.suffix.lower()
    if suffix in _TEMPLATES and path.with_suffix("").suffix:
        suffix = path.with_suffix("").suffix.lower()
    return _SUFFIXES.get(suffix) or _kind_by_content(text)


def kind_of_document(target: str | None, text: str) -> str | None:
    """Tell the kind of a here document by the file that it becomes; None for another language."""
    if target is not None and PurePath(target).suffix.lower() in {".py", ".js", ".ts", ".go", ".rs", ".c"}:
        return None
    return None if _OTHER_LANGUAGE.search(text.lstrip()) else kind_of(target or "", text)


def _kind_by_content(text: str) -> str:
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("#!"):
        return "shell"
    if _PAGE.match(start):
        return "html"
    if _FENCE.search(text):
        return "markdown"
    if _YAML.search(text) or start.startswith(("{", "---\n")):
        return "yaml"
    if _UNIT.search(text):
        return "systemd"
    return "dockerfile" if _INSTRUCTION.match(start) else "shell"


def find_text(text: Text, kind: str, search: Search) -> None:
    """Search a text of a kind."""
    finders()[kind](text, search)


def finders() -> Mapping[str, Callable[[Text, Search], None]]:
    """The table of kinds; a new one is a file beside this one and a line here."""
    from launchplan.lint.finders.dockerfile import find_in_dockerfile  # noqa: PLC0415 # they search each other
    from launchplan.lint.finders.html import find_in_html  # noqa: PLC0415
    from launchplan.lint.finders.markdown import find_in_markdown  # noqa: PLC0415
    from launchplan.lint.finders.shell import find_in_shell  # noqa: PLC0415
    from launchplan.lint.finders.systemd import find_in_unit  # noqa: PLC0415
    from launchplan.lint.finders.yaml_files import find_in_yaml  # noqa: PLC0415

    return {
        "shell": find_in_shell,
        "markdown": find_in_markdown,
        "html": find_in_html,
        "dockerfile": find_in_dockerfile,
        "yaml": find_in_yaml,
        "systemd": find_in_unit,
    }


KINDS = ("shell", "markdown", "html", "dockerfile", "yaml", "systemd")
"""Names of the kinds."""
