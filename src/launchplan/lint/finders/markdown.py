"""Commands in Markdown: fenced and indented blocks, with or without prompts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from launchplan.errors import InputError
from launchplan.lint.finders.kinds import find_text, kind_of_document
from launchplan.lint.finders.search import Search
from launchplan.lint.finders.shell import SERVER, find_in_shell
from launchplan.lint.shell import Scope
from launchplan.lint.text import Text, joined

_FENCE = re.compile(
    r"^(?P<lead>[ \t]*(?:>[ \t]*|(?:[-*+]|\d+[.)])[ \t]+)*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$"
)
_LANGUAGES = {
    "": None, "text": None, "txt": None, "plaintext": None, "sh": "shell", "bash": "shell", "shell": "shell",
    "zsh": "shell", "ksh": "shell", "console": "console", "shell-session": "console",
    "shellsession": "console",
    "bash-session": "console", "terminal": "console", "sbatch": "shell", "slurm": "shell", "yaml": "yaml",
    "yml": "yaml", "json": "yaml", "dockerfile": "dockerfile", "docker": "dockerfile", "ini": "systemd",
    "systemd": "systemd", "jinja": "shell", "cmd": "shell",
}  # fmt: skip
_PROMPT = re.compile(r"^[ \t]*(?:\([\w.-]+\)[ \t]*)?(?:[\w.-]+@[\w.-]+[^\s$#]*[ \t]?)?[$%][ \t]+")
_ROOT_PROMPT = re.compile(
    r"^[ \t]*(?:root@[\w.-]+:\S*)?#[ \t]+"
    r"(?=(?:\w+=\S+[ \t]+)*(?:vllm|sglang|python3?|docker|podman|export)[ \t])"
)
_CONTINUED = re.compile(r"^[ \t]*>[ \t]?")
_MATERIAL = re.compile(r"^(?:\?\?\?\+?|!!!|===)")


@dataclass(frozen=True, slots=True)
class Block:
    """One block of code without the marks around it."""

    language: str
    text: Text


def find_in_markdown(text: Text, search: Search) -> None:
    """Search the blocks in order; a reader types them into one shell, so variables live on."""
    find_in_blocks(blocks(text), search)


def find_in_blocks(found: Iterable[Block], search: Search) -> None:
    """Search blocks of code, of which each goes on where the one before it ended."""
    scope = Scope()
    for block in found:
        kind = _LANGUAGES.get(block.language, "")
        if kind == "":
            continue
        if kind is None:
            kind = _kind(block.text)
        if kind in {"shell", "console"}:
            _shell(block.text, kind, search, scope)
        elif kind is not None and search.depth < 4:
            _part(block.text, kind, search)


def _kind(text: Text) -> str | None:
    if any(_PROMPT.match(line) for line in text.text.splitlines()):
        return "console"
    if not SERVER.search(text.text):
        return None
    return kind_of_document(None, text.text)


def _shell(text: Text, kind: str, search: Search, scope: Scope) -> None:
    prompts = _PROMPT.search(text.text) or any(_PROMPT.match(line) for line in text.text.split("\n"))
    if prompts:
        text = _typed(text, _PROMPT)
    elif kind == "console" and any(_ROOT_PROMPT.match(line) for line in text.text.split("\n")):
        text = _typed(text, _ROOT_PROMPT)
    own = scope.copy()
    old = len(search.launches)
    find_in_shell(text, search, own)
    if len(search.launches) == old:
        # What a block without a server leaves open is no concern of ours.
        search.notes = [
            note for note in search.notes if note.code != "CMD105" or note.start not in set(text.places)
        ]
    for name, value in own.values.items():
        if name in own.exported and value.words and not value.words[0].text:
            scope.forget(name)  # `export HEAD_ADDR=` is there to be filled in
            continue
        if name in scope.values and scope.values[name] != value:
            own_value = scope.values[name]
            texts = [[word.text for word in each.words or ()] for each in (own_value, value)]
            if texts[0] != texts[1]:
                scope.forget(name)
                continue
        scope.values[name] = value


def _typed(text: Text, prompt: re.Pattern[str]) -> Text:
    """Keep the lines behind a prompt, with those that go on with them; the rest is output."""
    kept: list[Text] = []
    more = False
    for line in _lines(text):
        found = prompt.match(line.text) or (_CONTINUED.match(line.text) if more else None)
        if found is None and not more:
            continue
        kept.append(line.cut(found.end()) if found else line)
        more = line.text.rstrip("\n").endswith("\\") or _is_open("".join(each.text for each in kept))
    return joined(kept)


def _is_open(typed: str) -> bool:
    last = typed.rsplit("\n", 20)
    tail = "\n".join(last)
    return tail.count("'") % 2 == 1 and tail.count('"') % 2 == 0


def _part(text: Text, kind: str, search: Search) -> None:
    """Search a block of another kind; an excerpt that can't be read alone is none of the file's faults."""
    search.depth += 1
    try:
        find_text(text, kind, search)
    except InputError as error:
        if SERVER.search(text.text):
            search.unreadable += error.findings
    finally:
        search.depth -= 1


def _lines(text: Text) -> Iterator[Text]:
    start = 0
    while start < len(text):
        end = text.text.find("\n", start)
        end = len(text) if end < 0 else end + 1
        yield text.cut(start, end)
        start = end


def blocks(text: Text) -> Iterator[Block]:
    """Cut a document into its blocks of code."""
    lines = list(_lines(text))
    place = 0
    blank_before = True
    while place < len(lines):
        line = lines[place].text
        fence = _FENCE.match(line.rstrip("\n"))
        if fence is not None:
            language, body, place = _fenced(lines, place, fence)
            yield Block(language, body)
            blank_before = True
        elif blank_before and line.startswith(("    ", "\t")) and line.strip():
            end = place
            while end < len(lines) and (
                lines[end].text.startswith(("    ", "\t")) or not lines[end].text.strip()
            ):
                if _FENCE.match(lines[end].text.rstrip("\n")):
                    break
                end += 1
            body = joined(_unindented(each, 4) for each in lines[place:end])
            if not _MATERIAL.match(line):
                yield Block("", body)
            place = max(end, place + 1)
        else:
            blank_before = not line.strip()
            place += 1


def _fenced(lines: list[Text], place: int, fence: re.Match[str]) -> tuple[str, Text, int]:
    lead, mark = fence["lead"], fence["fence"]
    info = fence["info"].strip().strip("{}").lstrip(".")
    language = re.split(r"[\s,{:=]", info, maxsplit=1)[0].lower() if info else ""
    quoted = lead.count(">")
    width = len(
        re.sub(r"(?:[-*+]|\d+[.)])", lambda found: " " * len(found[0]), lead.rpartition(">")[2].expandtabs(4))
    )
    body: list[Text] = []
    place += 1
    while place < len(lines):
        line = _unquoted(lines[place], quoted)
        stripped = line.text.strip()
        if stripped.startswith(mark) and not stripped.strip(mark[0]):
            return language, joined(body), place + 1
        body.append(_unindented(line, width))
        place += 1
    return language, joined(body), place


def _unquoted(line: Text, levels: int) -> Text:
    for _ in range(levels):
        found = re.match(r"[ \t]*>[ ]?", line.text)
        line = line.cut(found.end()) if found else line
    return line


def _unindented(line: Text, width: int) -> Text:
    """Take away the indentation of a list item or an indented block, no more."""
    taken = 0
    seen = 0
    while seen < width and taken < len(line) and line.text[taken] in " \t":
        seen += 4 if line.text[taken] == "\t" else 1
        taken += 1
    return line.cut(taken)
