"""Two processes of one host, or two uses of one process, take the same port.

## Why

The second one that starts cannot listen and ends, or the other side is answered by the wrong one. The
router runs on the first host beside an engine; each data parallel rank has a side channel on a port of its
own.

## Fix

Move one of the ports, by the key that the message names.

## References

- vLLM 0.33.0 `vllm/config/parallel.py:161`,
  `distributed/kv_transfer/kv_connector/v1/nixl/base_scheduler.py:78`
- SGLang 0.5.23 `--disaggregation-bootstrap-port`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import Launch, Process
from launchplan.engines.ports import PortUse, ports_of
from launchplan.finding import KeyPath
from launchplan.rules.rule import ERROR, Violation, rule


@rule("NET107", "ports-differ", severity=ERROR, source="bind(2)")
def check(launch: Launch) -> Iterator[Violation]:
    """Look for a port that stands twice on a host; the same pair of uses is told once."""
    taken: dict[tuple[int, int], tuple[Process, PortUse]] = {}
    told: set[tuple[str, str, str, str]] = set()
    for process in launch.processes:
        for use in ports_of(process, launch):
            for port in use.ports:
                other = taken.setdefault((process.host, port), (process, use))
                pair = (other[0].role, other[1].what, process.role, use.what)
                if other[1] is not use and pair not in told:
                    told.add(pair)
                    yield _violation(launch, process, use, other, port)


def _violation(
    launch: Launch, process: Process, use: PortUse, other: tuple[Process, PortUse], port: int
) -> Violation:
    first = f"{other[1].what} of {other[0].name}"
    message = f"port {port} is taken twice on a host: {first}, {use.what} of {process.name}"
    return Violation(
        message, _path(launch, process, use), f"move one of them, {use.cure.removeprefix('or ')}"
    )


def _path(launch: Launch, process: Process, use: PortUse) -> KeyPath:
    resolved = launch.layout.resolved
    pool = next((pool for pool in resolved.pools if pool.role == process.role), None)
    if use.path[0] == "cluster" and resolved.deployment.cluster is None:
        return pool.path() if pool is not None and pool.path() else ("hardware",)
    return pool.path(*use.path) if pool is not None and use.path[0] != "cluster" else use.path
