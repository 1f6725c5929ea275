"""The only ways in which a template may print a value; each one fits one place of one file format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from types import MappingProxyType

from pydantic import JsonValue

from launchplan.engines import Value
from launchplan.errors import TemplateError
from launchplan.render.drawing import Drawing, svg_text
from launchplan.render.quoting import shell_word, variable_name

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MARKUP = re.compile(r"[\\`*<>|\[\]&]|(?<![^\W_])_|_(?![^\W_])")
_BLOCK_START = re.compile(r"^(\d+(?=[.)](?:\s|$))|(?=[#+=~-]))")


class Printed(str):
    """Text that passed a filter; templates print nothing else."""

    __slots__ = ()


def sh(value: Value | str) -> Printed:
    """Write one bash word; the script has checked the site variables in it before."""
    return Printed(shell_word(value))


def words(values: Iterable[Value]) -> Printed:
    """Write bash words in a row."""
    return Printed(" ".join(shell_word(value) for value in values))


def sh_or_fail(value: Value | str) -> Printed:
    """Write one bash word that ends the script with a hint when a site variable is not set."""
    return Printed(shell_word(value, "fail"))


def words_or_fail(values: Iterable[Value]) -> Printed:
    """Write bash words in a row that end the script with a hint when a site variable is not set."""
    return Printed(" ".join(shell_word(value, "fail") for value in values))


def words_or_empty(values: Iterable[Value]) -> Printed:
    """Write bash words in a row in which a site variable that is not set stands for nothing."""
    return Printed(" ".join(shell_word(value, "empty") for value in values))


def sh_or_local(value: Value | str) -> Printed:
    """Write one bash word in which a site variable that is not set stands for this host."""
    return Printed(shell_word(value, "local"))


def variable(name: str) -> Printed:
    """Write the name of an environment variable."""
    return Printed(variable_name(name))


def name(text: str) -> Printed:
    """Write a name made of letters, digits, dots and dashes, such as a file's; refuse any other."""
    if not _NAME.fullmatch(text):
        raise TemplateError(f"a template prints '{text}' where a plain name belongs")
    return Printed(text)


def json_text(value: JsonValue) -> Printed:
    """Write JSON in one line, keys in the order they have."""
    return Printed(json.dumps(value, ensure_ascii=False))


def comment(text: str) -> Printed:
    """Write text in a comment that ends with its line."""
    return Printed(one_line(text))


def md(text: str) -> Printed:
    """Write text in Markdown, in a paragraph or a table cell, so that it shows as it is."""
    return Printed(_in_place(_escaped(one_line(text))))


def prose(text: str) -> Printed:
    """Write a sentence in Markdown, in a paragraph or a table cell; what it has in backticks is code."""
    parts = one_line(text).split("`")
    if len(parts) % 2 == 0 or "" in parts[1::2]:
        return md(text)
    shown = (
        "`" + part.replace("|", r"\|") + "`" if index % 2 else _escaped(part)
        for index, part in enumerate(parts)
    )
    return Printed(_in_place("".join(shown)))


def code(text: str) -> Printed:
    """Write text in Markdown as code in a line, outside tables."""
    line = one_line(text)
    ticks = "`" * (longest_ticks(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return Printed(f"{ticks}{pad}{line}{pad}{ticks}")


def verbatim(text: str) -> Printed:
    """Write lines as they are: inside a Markdown code block, whose fence is longer than their backticks."""
    return Printed(text)


def html(text: str) -> Printed:
    """Write text in HTML, between tags or in a quoted attribute, so that a reader gets each character."""
    return Printed(escape(text).replace("\r", "&#13;"))


def prose_html(text: str) -> Printed:
    """Write a sentence in HTML; what it has in backticks is code."""
    parts = one_line(text).split("`")
    if len(parts) % 2 == 0 or "" in parts[1::2]:
        return html(text)
    shown = (f"<code>{html(part)}</code>" if index % 2 else html(part) for index, part in enumerate(parts))
    return Printed("".join(shown))


def svg(drawing: Drawing) -> Printed:
    """Write a drawing in HTML."""
    return Printed(svg_text(drawing))


def fence(ticks: int) -> Printed:
    """Write the line of backticks that a Markdown code block begins and ends with."""
    return Printed("`" * ticks)


def _in_place(line: str) -> str:
    """Keep the beginning of a line from being taken for that of a heading, a list or a fence."""
    return _BLOCK_START.sub(r"\1\\", line)


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", text)


def one_line(text: str) -> str:
    """Bring text into one line without control characters."""
    kept = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(kept.split())


def longest_ticks(text: str) -> int:
    """Count the longest run of backticks."""
    return max((len(run) for run in re.findall("`+", text)), default=0)


FILTERS: Mapping[str, Callable[..., Printed]] = MappingProxyType(
    {
        "sh": sh,
        "words": words,
        "sh_or_fail": sh_or_fail,
        "sh_or_local": sh_or_local,
        "words_or_fail": words_or_fail,
        "words_or_empty": words_or_empty,
        "variable": variable,
        "name": name,
        "json": json_text,
        "comment": comment,
        "md": md,
        "prose": prose,
        "code": code,
        "fence": fence,
        "verbatim": verbatim,
        "html": html,
        "prose_html": prose_html,
        "svg": svg,
    }
)
"""The filters by the name that templates use."""
