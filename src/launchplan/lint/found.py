"""A launch that a file holds: the words of one server's command, and what the file says beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from launchplan.engines.arguments import Word
from launchplan.lint.command import WRAPPERS, Command, find_server
from launchplan.lint.problems import Note
from launchplan.lint.shell import UNKNOWN_SIGN, Token

_VERSION = re.compile(r"(?:^|[-_:])v?(\d+\.\d+(?:\.\d+)*(?:\.?(?:post|rc|dev)\d+)?)(?![\w.]*\.)")
_FLAG_AND_VALUE = re.compile(r"(--?[A-Za-z][\w.-]*)(\s+)(\S.*)", re.DOTALL)
_MADE_FOR = re.compile(
    r"^(?:# Made by launchplan for|\| engine \|) (vllm|sglang) (\d[\w.+]*\w)", re.MULTILINE
)
_UNKNOWN = re.compile(f"{UNKNOWN_SIGN}+")
_PIN = re.compile(r"\b(vllm|sglang)(?:\[[\w,-]*\])?\s*==\s*(\d+\.\d+[\w.]*(?:\+[\w.]*\w)?)")


BY_TEMPLATE = "a template decides which of the words there are"
MAX_WORDS = 1000
"""Arguments of a command that are read; nobody writes more."""
CUT_SHORT = "the command ends before its last line"


@dataclass(frozen=True, slots=True)
class Container:
    """What a container gives the processes in it."""

    kind: str
    """`docker`, `compose` or `kubernetes`."""
    token: Token
    """Where it is said: the image, or the key of the service or container."""
    shared_memory: bool | None = None
    """Whether it gets more shared memory than the 64 MiB of a container by default; None: not known."""
    host_network: bool = False
    service_links: bool = True
    """Whether Kubernetes sets variables for the Services of the namespace."""
    rdma: bool = False
    """Whether it asks for RDMA devices."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a file says beside a command: facts about its hosts and the engine."""

    version: str | None = None
    gpu: str | None = None
    nodes: int | None = None
    gpus_per_node: int | None = None
    container: Container | None = None
    group: str = ""
    """Names what the command starts together with; commands of other groups owe it nothing."""

    def over(self, other: Surroundings) -> Surroundings:
        """Take from another what is not said here."""
        return Surroundings(
            self.version or other.version,
            self.gpu or other.gpu,
            self.nodes or other.nodes,
            self.gpus_per_node or other.gpus_per_node,
            self.container or other.container,
            self.group or other.group,
        )


@dataclass(frozen=True, slots=True)
class Launch:
    """One server that a file starts."""

    engine: str
    tokens: tuple[Token, ...]
    """All words of the command."""
    program: int
    """Index of the word that names the program."""
    start: int
    """Index of the first argument."""
    env: Mapping[str, Token] = field(default_factory=dict)
    around: Surroundings = Surroundings()
    notes: tuple[Note, ...] = ()
    """What is wrong with the way that the words are written."""
    partial: str | None = None
    """Why these may not be all words, or not all of them: a template decides, or the line ends too early."""
    wrapper: str | None = None
    """The program that hands the engine's arguments on and has flags of its own."""
    in_function: bool = False
    """Whether it stands in a function of a script, whose arguments others give."""

    @property
    def arguments(self) -> tuple[Token, ...]:
        """The words behind the program."""
        return self.tokens[self.start :]

    def command(self, texts: Iterable[tuple[int, str]], env: Mapping[str, str]) -> Command:
        """Make the command that is judged of words with their index."""
        return Command(self.engine, tuple(Word(text, index) for index, text in texts), env)


def launch_of(
    tokens: Sequence[Token], env: Mapping[str, Token], around: Surroundings = Surroundings()
) -> Launch | None:  # frozen
    """Find the server among the words of one command; None when it starts none."""
    texts = [token.text for token in tokens]
    server = find_server(texts)
    if server is None or _asks_help(texts[server.start :]):
        return None
    own = dict(env)
    for place, token in enumerate(tokens[: server.program]):
        name, sign, value = token.text.partition("=")
        if sign and name.isidentifier() and not _is_value(texts, place):
            skip = len(name) + 1
            own[name] = replace(token, text=value, places=token.places[skip:])
    pinned = pinned_version(" ".join(texts[: server.program]), server.engine)
    around = replace(around, version=pinned or around.version)
    notes: list[Note] = []
    last = server.start + MAX_WORDS
    words = (*tokens[: server.start], *apart(tokens[server.start : last], notes))
    partial = CUT_SHORT if len(tokens) > last else None
    wrapper = texts[server.start - 1] if texts[server.start - 1] in WRAPPERS else None
    return Launch(
        server.engine, words, server.program, server.start, own, around, tuple(notes), partial, wrapper
    )


def apart(words: Sequence[Token], notes: list[Note]) -> Iterator[Token]:
    """Note a flag and its value in one word, and go on as if they were two."""
    for word in words:
        found = _FLAG_AND_VALUE.fullmatch(word.text)
        if found is None or word.open:
            yield word
            continue
        message = (
            f"{found[1]} and its value are one word: `{short(word.text)}` reaches the engine as one argument"
        )
        fix = f"write two words, or {found[1]}={short(found[3])}"
        notes.append(Note("CMD102", message, word.start, fix))
        yield part_of(word, found.start(1), found.end(1))
        yield part_of(word, found.start(3), found.end(3))


def part_of(word: Token, start: int, end: int) -> Token:
    """Give a part of a word as a word of its own."""
    places = word.places[start:end]
    if not places:
        return replace(word, text=word.text[start:end])
    return Token(
        word.text[start:end], places[0], places[-1] + 1, places, word.unknown, word.open, word.defaulted
    )


def short(text: str) -> str:
    """Cut what a message quotes."""
    line = " ".join(_UNKNOWN.sub("...", text).split())
    return line if len(line) <= 40 else f"{line[:37]}..."


def _asks_help(words: Sequence[str]) -> bool:
    return any(word in {"-h", "--help"} or word.startswith("--help=") for word in words)


def _is_value(texts: Sequence[str], place: int) -> bool:
    """Tell whether an assignment is the value of another program's option, and no environment."""
    return place > 0 and texts[place - 1] in {"-p", "--partition", "-v", "--volume"}


def image_version(image: str) -> str | None:
    """Read the engine's version from an image's tag; None for `latest` and digests alone."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    found = _VERSION.match(tag)
    return found[1] if found else None


def pinned_version(text: str, engine: str) -> str | None:
    """Read the one version that a text pins of an engine (`vllm==0.20.2`); None for none and several.

    Rendered scripts and runbooks say which release they were made for.
    """
    pins = {found[2] for found in _PIN.finditer(text) if found[1] == engine}
    pins |= {found[2] for found in _MADE_FOR.finditer(text) if found[1] == engine}
    return pins.pop() if len(pins) == 1 else None
