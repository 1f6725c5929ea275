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
from launchplan.render.block import Block
from launchplan.render.drawing import Drawing, svg_text
from launchplan.render.quoting import printable, shell_word, variable_name
from launchplan.render.unit_quoting import command_word, environment_value, unit_word

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MARKUP = re.compile(r"[\\`*<>|\[\]&]|(?<![^\W_])_|_(?![^\W_])")
_PLAIN_OPTION = re.compile(r"[A-Za-z0-9@%+:=,./_\[\]-]+")
_PLAIN_YAML = re.compile(r"(?:--)?[A-Za-z_/][A-Za-z0-9_.+@/-]*(?::[A-Za-z0-9_./@+-]+)*")
_YAML_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
_PARTS = re.compile(r"[/_=](?=[\w-])|\.(?=[A-Za-z_])")
_WHOLE = 20
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


def sh_or_empty(value: Value | str) -> Printed:
    """Write one bash word in which a site variable that is not set stands for nothing."""
    return Printed(shell_word(value, "empty"))


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


def number(value: int) -> Printed:
    """Write a whole number."""
    return Printed(str(value))


def yaml_scalar(text: str) -> Printed:
    """Write a string of YAML: plain where every reader takes it for one, else in quotes.

    Text with double quotes in it, JSON for instance, stands in single ones.
    """
    printable(text)
    if _PLAIN_YAML.fullmatch(text) and text.lower() not in _YAML_WORDS:
        return Printed(text)
    if '"' in text and text.isprintable():
        return Printed("'" + text.replace("'", "''") + "'")
    quoted = json.dumps(text, ensure_ascii=False)
    return Printed("".join(char if char.isprintable() else _escape(char) for char in quoted))


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def literal(text: str) -> Printed:
    """Write text that was brought into the file's own form before; refuse more than one line."""
    if "\n" in text or "\r" in text:
        raise TemplateError(f"a template prints several lines where one belongs: {text!r}")
    return Printed(text)


def block(lines: Block) -> Printed:
    """Write lines that were printed before, each at the block's depth."""
    return Printed(str(lines))


def sbatch(text: str) -> Printed:
    """Write the value of an `#SBATCH` option; sbatch takes quotes and backslashes off, a hash ends it."""
    line = one_line(printable(text))
    if _PLAIN_OPTION.fullmatch(line):
        return Printed(line)
    return Printed('"' + re.sub(r'(["\\])', r"\\\1", line) + '"')


def unit(text: str) -> Printed:
    """Write one word of a systemd setting that is a list of words."""
    return Printed(unit_word(text))


def unit_exec(values: Iterable[Value]) -> Printed:
    """Write words of a command line in a systemd unit; site variables come from its environment."""
    return Printed(" ".join(command_word(value) for value in values))


def unit_text(text: str) -> Printed:
    """Write the rest of a line in a systemd unit, in a setting that takes it as it is."""
    return Printed(one_line(text).replace("%", "%%"))


def unit_env(text: str) -> Printed:
    """Write the value of a variable in a file that systemd reads."""
    return Printed(environment_value(text))


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
    shown = (_code_html(part) if index % 2 else html(part) for index, part in enumerate(parts))
    return Printed("".join(shown))


def parted_html(text: str) -> Printed:
    """Write paths and names in HTML, with places where a line may end: behind `/`, `_`, `.` and `=`."""
    return Printed(_PARTS.sub(r"\g<0><wbr>", html(text)))


def _code_html(text: str) -> str:
    """Write code in a sentence; a short word stays in one piece, a long one ends a line behind its parts."""
    if len(text) <= _WHOLE and " " not in text:
        return f'<code class="whole">{html(text)}</code>' if "-" in text else f"<code>{html(text)}</code>"
    return f"<code>{parted_html(text)}</code>"


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
        "sh_or_empty": sh_or_empty,
        "sh_or_local": sh_or_local,
        "words_or_fail": words_or_fail,
        "words_or_empty": words_or_empty,
        "variable": variable,
        "name": name,
        "json": json_text,
        "yaml": yaml_scalar,
        "number": number,
        "literal": literal,
        "block": block,
        "sbatch": sbatch,
        "unit": unit,
        "unit_exec": unit_exec,
        "unit_text": unit_text,
        "unit_env": unit_env,
        "comment": comment,
        "md": md,
        "prose": prose,
        "code": code,
        "fence": fence,
        "verbatim": verbatim,
        "html": html,
        "parted_html": parted_html,
        "prose_html": prose_html,
        "svg": svg,
    }
)
"""The filters by the name that templates use."""
