"""What the pods of one template run: one leader, or workers that differ by their index alone."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines import Flag, Launch, Process, Value
from launchplan.render.container.environment import environment_of
from launchplan.render.kubernetes.site import escaped, pod_text, sites_of

_INDEX = "$(LWS_WORKER_INDEX)"
_RANKS = frozenset({"--node-rank", "--data-parallel-rank"})
"""Flags whose value is the index of the node."""
_START_RANK = "--data-parallel-start-rank"


@dataclass(frozen=True, slots=True)
class PodCommand:
    """Texts as the kubelet reads them."""

    command: tuple[str, ...]
    args: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    unknown: tuple[str, ...]
    """Variables that nothing in a pod tells; they are left out."""


def pod_command(launch: Launch, processes: tuple[Process, ...]) -> PodCommand:
    """Write the command and environment of the processes that one pod template stands for.

    Raises `ValueError` when they differ by more than their rank.
    """
    first = processes[0]
    sites = sites_of(launch, first)
    environment = environment_of(launch, first)
    before = environment.argv[: len(environment.argv) - len(environment.planned)]
    flags, start = _of_index(processes)
    words = [pod_text(word, sites) for word in before]
    words += [*start, *(pod_text(word, sites) for word in first.command)]
    for flag in flags:
        words.append(pod_text((flag.name,), sites))
        words += (_INDEX if value == (_INDEX,) else pod_text(value, sites) for value in flag.values)
    if any(word is None for word in words):
        raise ValueError(f"an argument of {first.name} is known to no pod")
    planned = tuple(word for word in words if word is not None)
    env = [(each.name, pod_text(each.value, sites)) for each in environment.variables]
    known = tuple((name, value) for name, value in env if value is not None)
    unknown = tuple(name for name, value in env if value is None)
    if wrapped := len(before) + len(start):
        return PodCommand(planned[:wrapped], planned[wrapped:], known, unknown)
    split = len(first.command) if len(first.command) < 3 else 2  # program and subcommand
    return PodCommand(planned[:split], planned[split:], known, unknown)


def _of_index(processes: tuple[Process, ...]) -> tuple[tuple[Flag, ...], tuple[str, ...]]:
    """Put the worker's index in place of its rank; give a shell that computes its first data rank."""
    first = processes[0]
    flags: list[Flag] = []
    start: tuple[str, ...] = ()
    for position, flag in enumerate(first.flags):
        twins = [process.flags[position] for process in processes]
        if first.node and flag.name in _RANKS:
            flags.append(Flag(flag.name, ((_INDEX,),), flag.path))
        elif first.node and flag.name == _START_RANK and len(twins) > 1:
            start = _start(flag.values[0], first.node)
        elif all(each == flag for each in twins):
            flags.append(flag)
        else:
            raise ValueError(f"{flag.name} differs between the pods of one template")
    return tuple(flags), start


def _start(value: Value, node: int) -> tuple[str, ...]:
    ranks = int(str(value[0])) // node
    script = f'exec "$@" {_START_RANK} "$((LWS_WORKER_INDEX * {ranks}))"'
    return ("/bin/bash", "-c", escaped(script), "bash")
