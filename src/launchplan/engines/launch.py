"""What is started where: processes with their command, flags and environment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from launchplan.finding import KeyPath
from launchplan.layout import Layout

ProcessRole = Literal["serve", "prefill", "decode", "router"]


@dataclass(frozen=True, slots=True)
class Site:
    """A value that only the site knows; scripts demand it as a variable."""

    variable: str
    hint: str


@dataclass(frozen=True, slots=True)
class Inherited:
    """What a search path holds on the host already, after a colon; nothing where it is not set."""

    variable: str


Value = tuple[str | Site | Inherited, ...]
"""Text and site values in a row; `("http://", Site("HEAD_ADDR", …), ":8000")`."""


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag with its values; a switch has none."""

    name: str
    """As the command line spells it: `--tensor-parallel-size`."""
    values: tuple[Value, ...] = ()
    path: KeyPath = ()
    """The recipe's key that the flag comes from."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable."""

    name: str
    value: Value
    path: KeyPath = ()


RAY_START: tuple[Value, ...] = (("ray",), ("start",))


@dataclass(frozen=True, slots=True)
class RayHead:
    """Ray on the host of a head: it starts before the server, whose ranks it places, and ends with it."""

    flags: tuple[Flag, ...]
    address: Value
    """Address and port that workers join it by."""
    gpus: int
    """GPUs that have to be there before the server starts."""

    @property
    def argv(self) -> tuple[Value, ...]:
        """The command line word by word."""
        return _words(RAY_START, self.flags)


@dataclass(frozen=True, slots=True)
class Process:
    """One engine or router process, or the Ray worker that an engine's ranks start under."""

    name: str
    """Name of its script: `node-0`, `prefill-1`, `router`."""
    role: ProcessRole
    instance: int
    """Index of the pool's instance."""
    node: int
    """Index of the node within the instance; 0 is the head."""
    host: int
    """Index of the host within the whole deployment."""
    gpus: int
    command: tuple[Value, ...]
    """Program and positional arguments."""
    flags: tuple[Flag, ...]
    env: tuple[Variable, ...]
    """Environment of this process on top of the launch's."""
    port: int | None
    """Port of the API; None for followers, which expose none."""
    address: Value
    """Address that the others reach its host by."""
    servers: int = 1
    """API servers of the process, on ports in a row from `port`."""
    model: Value = ()
    """What its ranks load; empty for a router."""
    ray: RayHead | None = None
    """What starts before it, where Ray places its ranks."""

    @property
    def ports(self) -> range:
        """The ports of its API servers; none for followers."""
        return range(self.port, self.port + self.servers) if self.port is not None else range(0)

    @property
    def argv(self) -> tuple[Value, ...]:
        """The command line word by word."""
        return _words(self.command, self.flags)

    @property
    def is_worker(self) -> bool:
        """Whether it is a Ray worker: its flags are Ray's, and the head decides what runs under it."""
        return self.command == RAY_START

    @property
    def words(self) -> tuple[Value, ...]:
        """Every word that is run: Ray's, where it starts before the command, then the command line."""
        return (*(self.ray.argv if self.ray else ()), *self.argv)


@dataclass(frozen=True, slots=True)
class Launch:
    """Everything that a deployment starts."""

    layout: Layout
    processes: tuple[Process, ...]
    """Engines in start order, then the router."""
    env: tuple[Variable, ...]
    """Environment that every process shares."""
    model_name: str
    """Name that clients ask for."""

    @property
    def heads(self) -> tuple[Process, ...]:
        """The processes that answer requests, the router first."""
        serving = [process for process in self.processes if process.port is not None]
        return tuple(sorted(serving, key=lambda process: process.role != "router"))

    def sites(self) -> tuple[Site, ...]:
        """List the values that the site must give, each once, by name."""
        found = {site.variable: site for value in self._values() for site in value if isinstance(site, Site)}
        return tuple(found[name] for name in sorted(found))

    def _values(self) -> Iterator[Value]:
        yield from (variable.value for variable in self.env)
        for process in self.processes:
            yield from process.words
            yield from (variable.value for variable in process.env)


def text(value: str) -> Value:
    """Make a value of plain text."""
    return (value,)


def join(*values: Value | str) -> Value:
    """Put values and texts in a row."""
    parts: list[str | Site | Inherited] = []
    for value in values:
        for part in (value,) if isinstance(value, str) else value:
            if isinstance(part, str) and parts and isinstance(parts[-1], str):
                parts[-1] += part
            else:
                parts.append(part)
    return tuple(parts)


def _words(command: tuple[Value, ...], flags: tuple[Flag, ...]) -> tuple[Value, ...]:
    words = list(command)
    for flag in flags:
        words.append((flag.name,))
        words += flag.values
    return tuple(words)
