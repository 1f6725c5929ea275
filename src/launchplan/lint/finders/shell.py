"""Commands in shell text: scripts, job scripts, what one types at a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from launchplan.lint.finders.containers import docker_run
from launchplan.lint.finders.hosts import slurm_hosts
from launchplan.lint.finders.kinds import find_text, kind_of_document
from launchplan.lint.finders.search import MAX_DEPTH, Search
from launchplan.lint.found import CUT_SHORT, Surroundings, launch_of
from launchplan.lint.shell import Document, Scope, Script, Statement, Token, Value
from launchplan.lint.text import Text

SERVER = re.compile(
    r"\b(?:vllm|sglang)\s+serve\b|vllm\.entrypoints\.|sglang\.(?:launch_server|cli\.main)|dynamo\.(?:vllm|sglang)\b|\bray\s+start\b|(?:docker|podman)\s+run\b"
)
"""What a script holds that may start a server."""
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ash"})
_RUNNERS = frozenset({"ssh", "tmux", "screen", "su", "parallel", "pdsh", "clush", "eval", "watch", "script"})
"""Programs that hand a word to a shell."""
_FUNCTION = re.compile(
    r"^[ \t]*(?:(?P<open>function[ \t]+[\w-]+[ \t]*(?:\(\))?\s*\{|[\w-]+[ \t]*\(\)\s*\{)|(?P<close>\}))",
    re.MULTILINE,
)
_FLAG = re.compile(r"--?[A-Za-z][\w.-]*(?:=.*)?", re.DOTALL)


def find_in_shell(text: Text, search: Search, scope: Scope | None = None) -> None:
    """Search a script; `scope` holds what its variables are before it, and afterwards what they are then."""
    if search.depth > MAX_DEPTH:
        return
    if not SERVER.search(text.text) and scope is None:
        return
    script = Script(text, scope or Scope())
    around = slurm_hosts(text.text).over(search.around)
    functions = list(_functions(text))
    old = len(search.launches)
    cut: Statement | None = None
    for statement in script.statements():
        first = statement.tokens[0]
        if cut is not None and _FLAG.fullmatch(first.text):
            _note_cut(cut, first, search)
        before = len(search.launches)
        take_statement(statement, search, around)
        starts = len(search.launches) > before or cut is statement
        cut = statement if starts and statement.after == "\n" else None
    for index, launch in enumerate(search.launches[old:], old) if functions else ():
        place = launch.tokens[launch.program].start
        inside = any(start <= place <= end for start, end in functions)
        search.launches[index] = replace(launch, in_function=launch.in_function or inside)
    if script.open_quote is not None and (search.launches or SERVER.search(text.text)):
        search.note(
            "CMD105", "a quote opens here and nothing closes it", script.open_quote, "close the quote"
        )


def _functions(text: Text) -> Iterator[tuple[int, int]]:
    """Give the first and last offset of each function's body."""
    start: int | None = None
    for found in _FUNCTION.finditer(text.text):
        if found["open"] and start is None:
            start = found.start()
        elif found["close"] and start is not None:
            yield text.place(start), text.place(found.start())
            start = None


def _note_cut(cut: Statement, first: Token, search: Search) -> None:
    blank = cut.tokens[-1].text in {" ", "\t"}
    fix = (
        "remove the blank behind the backslash above: it must be the last character of its line"
        if blank
        else "end each line above with a backslash, and put no comment between"
    )
    name = first.text.partition("=")[0]
    message = f"the command above has ended: {name} is started as a program of its own"
    search.note("CMD104", message, first.start, fix)
    search.launches[-1] = replace(search.launches[-1], partial=CUT_SHORT)


def take_statement(statement: Statement, search: Search, around: Surroundings) -> None:
    """Search one simple command, and the scripts and documents that it holds."""
    tokens = statement.tokens
    if tokens and tokens[-1].text in {" ", "\t"}:
        tokens = tokens[:-1]
    texts = [token.text for token in tokens]
    engine = docker_run(texts)
    if engine is not None:
        search.launches += engine.launches(tokens, statement.env, search, around)
    else:
        launch = launch_of(tokens, statement.env, around)
        search.add(launch)
        if launch is None:
            _ray(tokens, texts, statement.env, search)
            for script in inner_scripts(tokens):
                _inner(script, statement.env, search, around)
    for document in statement.documents:
        _document(document, texts, search)


def _ray(tokens: tuple[Token, ...], texts: list[str], env: Mapping[str, Token], search: Search) -> None:
    for place, text in enumerate(texts[:-1]):
        if text.rpartition("/")[2] == "ray" and texts[place + 1] == "start":
            search.rays.append((tokens[place], tuple(texts), dict(env)))


def inner_scripts(tokens: tuple[Token, ...]) -> Iterator[Token]:
    """Give the words that another shell runs: `bash -c "..."`, `ssh host '...'`."""
    names = [token.text.rpartition("/")[2] for token in tokens]
    shell = any(name in _SHELLS | _RUNNERS for name in names)
    for token in tokens:
        if shell and any(sign.isspace() for sign in token.text) and SERVER.search(token.text):
            yield token


def _inner(script: Token, env: Mapping[str, Token], search: Search, around: Surroundings) -> None:
    places = script.places if len(script.places) == len(script.text) else (script.start,) * len(script.text)
    scope = Scope({name: Value((token,)) for name, token in env.items()}, dict(env))
    search.depth += 1
    outer, search.around = search.around, around
    find_in_shell(Text(script.text, places), search, scope)
    search.around = outer
    search.depth -= 1


def _document(document: Document, texts: list[str], search: Search) -> None:
    if not SERVER.search(document.body.text) and "kind:" not in document.body.text:
        return
    runs = texts[:1] and texts[0].rpartition("/")[2] in _SHELLS | {"ssh", "sbatch", "srun"}
    kind = "shell" if runs else kind_of_document(document.target, document.body.text)
    body = document.body
    if document.expands:
        body = _without_escapes(body)
    if kind is None or search.depth >= MAX_DEPTH:
        return
    search.depth += 1
    find_text(body, kind, search)
    search.depth -= 1


def _without_escapes(body: Text) -> Text:
    r"""Undo `\$`, which keeps a variable for whoever reads the document."""
    kept = [
        i for i, sign in enumerate(body.text) if not (sign == "\\" and body.text[i + 1 : i + 2] in {"$", "`"})
    ]
    if len(kept) == len(body):
        return body
    return Text("".join(body.text[i] for i in kept), tuple(body.places[i] for i in kept))
