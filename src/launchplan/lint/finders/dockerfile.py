"""Commands in Dockerfiles: ENTRYPOINT with CMD, RUN, in exec form or for a shell, with ENV and ARG."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from launchplan.lint.finders.exec_form import exec_launch
from launchplan.lint.finders.search import Search
from launchplan.lint.finders.shell import SERVER, find_in_shell
from launchplan.lint.found import Surroundings, pinned_version
from launchplan.lint.shell import Scope, Script, Token, Value
from launchplan.lint.text import Text

_INSTRUCTION = re.compile(r"[ \t]*(?P<name>[A-Za-z]+)(?P<blank>[ \t]+)")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_FLAGS = re.compile(r"(?:--[a-z-]+(?:=\S+)?[ \t]+)+")


@dataclass(slots=True)
class _Stage:
    """What one build stage has said so far."""

    image: Token | None = None
    scope: Scope = field(default_factory=Scope)
    entrypoint: list[Token] | None = None
    entrypoint_script: Text | None = None
    command: list[Token] | None = None
    command_script: Text | None = None
    version: str | None = None


def find_in_dockerfile(text: Text, search: Search) -> None:
    """Search every stage; the last ENTRYPOINT and CMD of a stage count."""
    stage = _Stage()
    outer = Scope()
    for name, rest in instructions(text):
        if name == "FROM":
            _finish(stage, search)
            stage = _Stage(scope=outer.copy())
            stage.image = next(iter(_words(_FLAGS.sub("", rest.text), rest, outer)), None)
        elif name in {"ENV", "ARG"}:
            _variables(name, rest, stage, outer)
        elif name == "RUN":
            stage.version = (
                pinned_version(rest.text, "vllm") or pinned_version(rest.text, "sglang") or stage.version
            )
            _run(rest, stage, search)
        elif name == "ENTRYPOINT":
            stage.entrypoint, stage.entrypoint_script = _form(rest)
            stage.command, stage.command_script = None, None
        elif name == "CMD":
            stage.command, stage.command_script = _form(rest)
    _finish(stage, search)


def _words(_: str, rest: Text, scope: Scope) -> list[Token]:
    tokens = [token for statement in Script(rest, scope.copy()).statements() for token in statement.tokens]
    return [token for token in tokens if not token.text.startswith("--")]


def _variables(name: str, rest: Text, stage: _Stage, outer: Scope) -> None:
    scope = stage.scope if stage.image is not None else outer
    script = Script(Text(rest.text.replace("\n", " "), rest.places), scope.copy())
    words = [token for statement in script.statements() for token in statement.tokens]
    if "=" not in rest.text.split(" ")[0]:
        words = (
            []
            if name == "ARG" or len(words) < 2
            else [replace(words[1], text=f"{words[0].text}={words[1].text}")]
        )
    else:
        words = list(_assigned(rest, scope))
    for word in words:
        key, _, value = word.text.partition("=")
        token = replace(word, text=value, places=word.places[len(key) + 1 :])
        if name == "ARG":
            token = replace(token, defaulted=True)
        scope.assign(key, Value((token,)), export=name == "ENV")


def _assigned(rest: Text, scope: Scope) -> Iterator[Token]:
    # An assignment before no command sets a variable; behind `env` it is a word.
    line = Text("env " + rest.text.replace("\n", " "), (*(rest.place(0),) * 4, *rest.places))
    for statement in Script(line, scope.copy()).statements():
        yield from statement.tokens[1:]


def _run(rest: Text, stage: _Stage, search: Search) -> None:
    if SERVER.search(rest.text):
        inner = Search(search.file, search.engine, _around(stage, search), depth=search.depth + 1)
        find_in_shell(rest, inner, stage.scope.copy())
        search.launches += inner.launches
        search.notes += inner.notes


def _around(stage: _Stage, search: Search) -> Surroundings:
    return replace(search.around, version=stage.version or search.around.version)


def _form(rest: Text) -> tuple[list[Token] | None, Text | None]:
    """Read an exec form (a JSON list), or give the script of a shell form."""
    stripped = rest.text.strip()
    if stripped.startswith("["):
        try:
            values = json.loads(stripped)
        except json.JSONDecodeError:
            return None, rest  # Docker runs what is no JSON by a shell
        if isinstance(values, list) and all(isinstance(value, str) for value in values):
            return list(_strings(rest)), None
    return None, rest


def _strings(rest: Text) -> Iterator[Token]:
    for found in _STRING.finditer(rest.text):
        inside = found[0][1:-1]
        start, end = rest.place(found.start()), rest.place(found.end() - 1) + 1
        places = tuple(rest.places[found.start() + 1 : found.end() - 1])
        value = json.loads(found[0])
        masked = ("a template expression",) if "\ue000" in value else ()
        yield Token(value, start, end, places if inside == value else (start,) * len(value), masked)


def _finish(stage: _Stage, search: Search) -> None:
    around = _around(stage, search)
    env = stage.scope.exported
    script = stage.entrypoint_script or (stage.command_script if stage.entrypoint is None else None)
    if script is not None:
        inner = Search(search.file, search.engine, around, depth=search.depth + 1)
        find_in_shell(script, inner, stage.scope.copy())
        search.launches += inner.launches
        search.notes += inner.notes
    elif stage.entrypoint or stage.command:
        search.launches += exec_launch(
            stage.image, stage.entrypoint, stage.command or (), env, around, search
        )


def instructions(text: Text) -> Iterator[tuple[str, Text]]:
    """Give each instruction with its rest: continued lines joined, comments between them left out."""
    source, start = text.text, 0
    while start < len(source):
        end = _line_end(source, start)
        found = _INSTRUCTION.match(source, start, end)
        if found is None or source[start:end].lstrip().startswith("#"):
            start = end
            continue
        begin, lines = found.end(), []
        while True:
            line = source[begin:end].rstrip("\n")
            if line.lstrip().startswith("#"):
                pass
            elif line.rstrip().endswith("\\"):
                lines += [text.cut(begin, begin + len(line.rstrip()) - 1), Text(" ", (text.place(begin),))]
            else:
                lines.append(text.cut(begin, begin + len(line)))
                break
            if end >= len(source):
                break
            begin, end = end, _line_end(source, end)
        places = [place for line in lines for place in line.places]
        yield found["name"].upper(), Text("".join(line.text for line in lines), tuple(places))
        start = end


def _line_end(source: str, start: int) -> int:
    end = source.find("\n", start)
    return len(source) if end < 0 else end + 1
