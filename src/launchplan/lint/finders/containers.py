"""Servers in containers: what an image starts, and the command lines of `docker run` and `podman run`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from launchplan.lint.finders.search import Search
from launchplan.lint.found import Container, Launch, Surroundings, apart, image_version, launch_of
from launchplan.lint.problems import Note
from launchplan.lint.shell import Token
from launchplan.units import decimal

_SWITCHES = frozenset(
    {
        *("-d", "--detach", "--rm", "-i", "--interactive", "-t", "--tty", "--init", "--privileged", "-P"),
        *("--publish-all", "--read-only", "--no-healthcheck", "--oom-kill-disable", "--sig-proxy", "-q"),
        *("--quiet", "--replace", "--no-hosts", "--disable-content-trust", "--tls-verify", "--rmi"),
        *("--http-proxy", "--env-host", "--use-api-socket"),
    }
)
"""Options of `docker run` and `podman run` that take no value."""
_SHORT_SWITCHES = frozenset("ditPq")
_PROGRAMS = frozenset({"docker", "podman", "nerdctl"})
_SERVER_FLAGS = {"--model": "vllm", "--model-path": "sglang"}
LARGE_BYTES = 128 * 2**20
"""Above it a container was given shared memory on purpose; by default it has 64 MiB."""
_UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def entrypoint_engine(image: str) -> str | None:
    """Give the engine that an image starts without being told to (vLLM, docker/Dockerfile: `vllm serve`)."""
    name = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
    return "vllm" if name.startswith("vllm-openai") else None


def in_container(
    image: Token | None,
    entrypoint: Sequence[Token] | None,
    words: Sequence[Token],
    env: Mapping[str, Token],
    around: Surroundings,
    search: Search,
) -> Launch | None:
    """Find the server that a container starts: entrypoint (None: the image's own) and words behind it."""
    name = image.text if image is not None else ""
    around = replace(around, version=image_version(name) or around.version)
    if entrypoint:
        return launch_of((*entrypoint, *words), env, around)
    engine = entrypoint_engine(name)
    spoken = launch_of(words, env, around)
    if engine is None and spoken is not None:
        return spoken
    if engine is None:
        engine = next(
            (search.engine or _SERVER_FLAGS[w.text] for w in words if w.text in _SERVER_FLAGS), None
        )
        if engine is None or not words[0].text.startswith("-") or search.engine != engine:
            return None
    elif not words:
        return None
    if spoken is not None:
        return _repeated(spoken, name)
    notes: list[Note] = []
    return Launch(engine, (image or words[0], *apart(words, notes)), 0, 1, env, around, tuple(notes))


def _repeated(launch: Launch, image: str) -> Launch:
    words = " ".join(token.text for token in launch.tokens[launch.program : launch.start])
    message = f"the image {image} starts `vllm serve` itself; `{words}` becomes its first arguments"
    first = launch.tokens[launch.program]
    fix = "leave the program out, and begin with the model or a flag"
    note = Note("CMD107", message, first.start, fix, "docker/Dockerfile of vLLM: ENTRYPOINT")
    return replace(launch, notes=(*launch.notes, note))


@dataclass(frozen=True, slots=True)
class DockerRun:
    """Where the parts of one `docker run` stand among its words."""

    options: tuple[tuple[str, int | None, str], ...]
    """Name, index of the value's word, value."""
    image: int

    def value(self, *names: str) -> str | None:
        """Give the last value of an option."""
        return next((value for name, _, value in reversed(self.options) if name in names), None)

    def launches(
        self, tokens: Sequence[Token], env: Mapping[str, Token], search: Search, around: Surroundings
    ) -> Iterator[Launch]:
        """Find the server that the container starts."""
        from launchplan.lint.finders.exec_form import exec_launch  # noqa: PLC0415 # it searches scripts, too

        image = tokens[self.image]
        memory = self.value("--shm-size")
        shared = self.value("--ipc") in {"host", "shareable"} or (
            memory is not None and size_bytes(memory) > LARGE_BYTES
        )
        unsure = memory is not None and not shared and size_bytes(memory) == 0
        if any(token.open for token in tokens[: self.image]):
            unsure = not shared
        container = Container(
            "docker", image, None if unsure else shared, self.value("--network", "--net") == "host"
        )
        gpus = self.value("--gpus") or ""
        count = decimal(gpus)
        around = replace(around, container=container, gpus_per_node=count or around.gpus_per_node)
        entry = next(
            (tokens[i] for name, i, _ in reversed(self.options) if name == "--entrypoint" and i is not None),
            None,
        )
        if entry is not None and entry.text.startswith("--entrypoint="):
            entry = replace(
                entry, text=entry.text.partition("=")[2], places=entry.places[len("--entrypoint=") :]
            )
        return exec_launch(
            image,
            [entry] if entry else None,
            tokens[self.image + 1 :],
            self._env(tokens, env),
            around,
            search,
        )

    def _env(self, tokens: Sequence[Token], outer: Mapping[str, Token]) -> dict[str, Token]:
        found: dict[str, Token] = {}
        for name, index, value in self.options:
            if name not in {"-e", "--env"} or index is None:
                continue
            key, sign, text = value.partition("=")
            token = tokens[index]
            if sign:
                skip = len(token.text) - len(text)
                found[key] = replace(token, text=text, places=token.places[skip:])
            elif key in outer:
                found[key] = outer[key]
            else:
                found[key] = replace(token, unknown=(key,))
        return found


def size_bytes(text: str) -> float:
    """Read `16g`, `10.24gb`, `1073741824`; 0 where it can't be read."""
    number = text.strip().lower().removesuffix("b").removesuffix("i")
    unit = number[-1:] if number[-1:] in _UNITS and not number[-1:].isdigit() else ""
    try:
        return float(number.removesuffix(unit)) * _UNITS[unit]
    except ValueError:
        return 0


def _options_start(texts: Sequence[str]) -> int | None:
    """Find the first word behind `docker run`."""
    for place, text in enumerate(texts):
        if text.rpartition("/")[2] in _PROGRAMS:
            behind = place + 2 if texts[place + 1 : place + 2] == ["container"] else place + 1
            if texts[behind : behind + 1] in (["run"], ["create"]):
                return behind + 1
    return None


def _hides_options(texts: Sequence[str], place: int) -> bool:
    """Tell whether a word is a variable that holds options, others being written behind it."""
    following = texts[place + 1] if place + 1 < len(texts) else ""
    return not texts[place].strip("\ue000") and following.startswith("-") and following not in _SERVER_FLAGS


def docker_run(texts: Sequence[str]) -> DockerRun | None:
    """Take the words of `docker run` apart; None when the command is another."""
    start = _options_start(texts)
    if start is None:
        return None
    options: list[tuple[str, int | None, str]] = []
    place = start
    while place < len(texts) and (texts[place].startswith("-") or _hides_options(texts, place)):
        word = texts[place]
        if not word.startswith("-"):
            place += 1
            continue
        name, sign, value = word.partition("=")
        if name in _SWITCHES or (not word.startswith("--") and set(word[1:]) <= _SHORT_SWITCHES):
            options.append((name, None, value))
        elif sign:
            options.append((name, place, value))
        elif not word.startswith("--") and len(word) > 2:
            options.append((word[:2], place, word[2:]))
        else:
            place += 1
            options.append(
                (word, place if place < len(texts) else None, texts[place] if place < len(texts) else "")
            )
        place += 1
    while place < len(texts) and not texts[place].strip("\ue000"):
        place += 1  # options that only a variable holds
    return DockerRun(tuple(options), place) if place < len(texts) else None
