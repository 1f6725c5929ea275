"""Read a rendered page: its elements, its commands, its tables."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"meta", "link", "input", "br", "hr", "img", "option", "wbr"})


@dataclass
class Element:
    """One element with what stands in it."""

    tag: str
    attributes: dict[str, str]
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> list[Element]:
        found = [self] if self.tag == tag else []
        return found + [each for child in self.children for each in child.all(tag)]

    @property
    def everything(self) -> list[Element]:
        return [self, *(each for child in self.children for each in child.everything)]


class Reader(HTMLParser):
    """Builds elements, and complains about tags that do not match."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open[-1].tag == tag, f"{tag} ends inside {self.open[-1].tag}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for each in self.open:
            each.text += data


def read_page(content: bytes) -> Element:
    reader = Reader()
    reader.feed(content.decode())
    reader.close()
    assert [each.tag for each in reader.open] == [""]
    return reader.root


def page_blocks(page: Element) -> dict[str, str]:
    """Give the text of each block that has a copy button, by its label."""
    blocks = [each for each in page.everything if "data-copy" in each.attributes]
    found = {each.attributes["aria-label"]: each.all("code")[0].text for each in blocks}
    assert len(found) == len(blocks)
    return found


def page_tables(page: Element) -> dict[str, list[list[str]]]:
    """Give the rows of each table by the label of the group that it stands in."""
    groups = [
        each for each in page.everything if each.attributes.get("role") == "group" and each.all("table")
    ]
    return {
        group.attributes["aria-label"]: [
            [cell.text for cell in row.children] for row in group.all("tbody")[0].all("tr")
        ]
        for group in groups
    }


def markdown_blocks(text: str) -> list[tuple[str, str]]:
    """List the fenced blocks of a document: language and text."""
    found = re.findall(r"^(`{3,})(\w+)\n(.*?)\n\1$", text, re.MULTILINE | re.DOTALL)
    return [(language, block) for _, language, block in found]


def markdown_tables(text: str) -> list[list[list[str]]]:
    """List the tables of a document with their headings, cell by cell."""
    found = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    return [[_cells(line) for line in table.splitlines() if not line.startswith("|---")] for table in found]


def _cells(line: str) -> list[str]:
    return [re.sub(r"\\(.)", r"\1", cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
