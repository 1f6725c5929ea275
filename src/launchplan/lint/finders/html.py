"""Commands in HTML pages: what stands in `<pre>`, without its tags and with its entities read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from launchplan.lint.finders.markdown import Block, find_in_blocks
from launchplan.lint.finders.search import Search
from launchplan.lint.text import Text, joined

_BLOCK = re.compile(r"<!--.*?-->|<pre\b(?P<own>[^>]*)>(?P<body>.*?)</pre\s*>", re.DOTALL | re.IGNORECASE)
_LANGUAGE = re.compile(r"(?:language|lang|highlight|brush)[-:]\s*([\w-]+)")
_MARKUP = re.compile(r"<!--.*?-->|<(?P<tag>/?[A-Za-z][^>]*)>|&[#\w]{1,32};", re.DOTALL)


def find_in_html(text: Text, search: Search) -> None:
    """Search the blocks in order; a reader types them into one shell, so variables live on."""
    find_in_blocks(blocks(text), search)


def blocks(text: Text) -> Iterator[Block]:
    """Cut a page into its blocks of code."""
    for found in _BLOCK.finditer(text.text):
        if found["body"] is None:
            continue
        first = re.match(r"\s*<code\b([^>]*)>", found["body"], re.IGNORECASE)
        language = _LANGUAGE.search(f"{found['own']} {first[1] if first else ''}")
        body = joined(_plain(text.cut(found.start("body"), found.end("body"))))
        yield Block(language[1].lower() if language else "", body)


def _plain(body: Text) -> Iterator[Text]:
    """Give the text of a block as a browser shows it, each character at its place in the page."""
    last = 0
    for found in _MARKUP.finditer(body.text):
        yield body.cut(last, found.start())
        last = found.end()
        shown = unescape(found[0]) if found[0].startswith("&") else _line_break(found["tag"])
        yield Text(shown, (body.place(found.start()),) * len(shown))
    yield body.cut(last)


def _line_break(tag: str | None) -> str:
    return "\n" if tag is not None and re.match(r"br\b", tag, re.IGNORECASE) else ""
