"""Words that are handed to a process without a shell: lists in manifests, compose files and Dockerfiles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from launchplan.lint.finders.containers import in_container
from launchplan.lint.finders.search import Search
from launchplan.lint.finders.shell import SERVER, find_in_shell
from launchplan.lint.found import Launch, Surroundings, image_version, part_of, short
from launchplan.lint.problems import Note
from launchplan.lint.shell import Scope, Token, Value
from launchplan.lint.text import Text

_SHELLS = re.compile(r"(?:.*/)?(?:ba|da|z|a)?sh")
_SCRIPT_OPTION = re.compile(r"-[a-z]*c")
_PROGRAM_AND_WORDS = re.compile(r"(?:\S*/)?(?:vllm|sglang|python[0-9.]*)\s+\S.*", re.DOTALL)


def exec_launch(
    image: Token | None,
    entrypoint: Sequence[Token] | None,
    words: Sequence[Token],
    env: Mapping[str, Token],
    around: Surroundings,
    search: Search,
) -> Iterator[Launch]:
    """Find the servers that a container's words start, those in the script of `sh -c` included."""
    given = (*(entrypoint or ()), *words)
    script = _script(given)
    if script is not None:
        yield from _in_script(given, script, env, around, search, image)
        return
    notes: list[Note] = []
    if given and _PROGRAM_AND_WORDS.fullmatch(given[0].text) and SERVER.search(given[0].text):
        first = given[0]
        fix = "make each word an item of its own, or hand the line to a shell: sh -c"
        notes.append(
            Note("CMD101", "the whole command is one word: no program has this name", first.start, fix)
        )
        entrypoint, words = (*_split(first), *given[1:]), ()
    launch = in_container(image, entrypoint, words, env, around, search)
    if launch is not None:
        yield replace(launch, notes=(*notes, *launch.notes))


def _script(words: Sequence[Token]) -> int | None:
    """Find the word that a shell runs as a script."""
    for place, word in enumerate(words[:4]):
        if _SHELLS.fullmatch(word.text):
            for index in range(place + 1, min(len(words), place + 5)):
                if _SCRIPT_OPTION.fullmatch(words[index].text):
                    return index + 1 if index + 1 < len(words) else None
            return None
    return None


def _in_script(
    words: Sequence[Token],
    place: int,
    env: Mapping[str, Token],
    around: Surroundings,
    search: Search,
    image: Token | None,
) -> Iterator[Launch]:
    script, behind = words[place], words[place + 1 :]
    if (
        behind
        and not re.search(r"\$(?:[@*0-9]|\{[@*0-9])", script.text)
        and (SERVER.search(script.text) or script.text in {"vllm", "sglang"})
    ):
        message = f"the shell runs `{short(script.text)}` alone; {len(behind)} words behind it are $0, $1 ..."
        search.note("CMD103", message, behind[0].start, "write the whole command as one word behind -c")
        return
    scope = Scope({name: Value((token,)) for name, token in env.items()}, dict(env))
    inner = Search(
        search.file,
        search.engine,
        replace(around, version=(image_version(image.text) if image else None) or around.version),
        depth=search.depth + 1,
    )
    if script.unknown and script.text.strip("\ue000\n ") == "":
        return
    places = script.places if len(script.places) == len(script.text) else (script.start,) * len(script.text)
    find_in_shell(Text(script.text, places), inner, scope)
    search.notes += inner.notes
    search.rays += inner.rays
    yield from inner.launches


def _split(word: Token) -> Iterator[Token]:
    for found in re.finditer(r"\S+", word.text):
        yield part_of(word, found.start(), found.end())
