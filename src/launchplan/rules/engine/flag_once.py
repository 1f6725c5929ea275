"""One flag from two keys of the recipe.

## Why

A raw flag under `args` repeats what a typed key of the recipe already sets. The parser takes the last one
without a word, while launchplan's layout, checks and runbook go by the typed key. Sizes of the layout belong
into `parallel` and `hardware` alone: what stands under `args` is not placed.

## Fix

Keep the typed key and remove the raw flag.

## References

- `argparse`: the last value wins
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.catalog import Ambiguous
from launchplan.engines import Flag, Launch, Process
from launchplan.finding import KeyPath, dotted
from launchplan.rules.rule import ERROR, Violation, rule

LAYOUT = {
    "vllm": {
        "tensor_parallel_size": "parallel.tp",
        "pipeline_parallel_size": "parallel.pp",
        "data_parallel_size": "parallel.dp",
        "enable_expert_parallel": "parallel.ep",
        "decode_context_parallel_size": "parallel.dcp",
        "nnodes": "hardware.nodes",
        "node_rank": "hardware.nodes",
        "headless": "hardware.nodes",
        "prefill_context_parallel_size": "parallel",
        "data_parallel_rank": "parallel.load_balancing",
        "data_parallel_start_rank": "parallel.dp",
        "data_parallel_size_local": "parallel.dp",
        "data_parallel_hybrid_lb": "parallel.load_balancing",
        "data_parallel_external_lb": "parallel.load_balancing",
        "data_parallel_multi_port_external_lb": "parallel.load_balancing",
    },
    "sglang": {
        "tp_size": "parallel.tp",
        "pp_size": "parallel.pp",
        "dp_size": "parallel.dp",
        "attn_dp_size": "parallel.dp",
        "ep_size": "parallel.ep",
        "dcp_size": "parallel.dcp",
        "nnodes": "hardware.nodes",
        "node_rank": "hardware.nodes",
    },
}
"""Parser destinations that only the layout may set, and the key that does."""


@rule("ENG102", "flag-once", severity=ERROR, source="argparse: the last value wins")
def check(launch: Launch) -> Iterator[Violation]:
    """Compare the raw flags of each process with its other flags."""
    seen: set[KeyPath] = set()
    for process in launch.processes:
        if process.role == "router":
            continue
        for violation in _process(launch, process):
            if violation.path not in seen:
                seen.add(violation.path)
                yield violation


def _process(launch: Launch, process: Process) -> Iterator[Violation]:
    deployment = launch.layout.resolved.deployment
    first: dict[str, Flag] = {}
    raw: list[tuple[str, Flag]] = []
    for flag in process.flags:
        known = deployment.facts.match(flag.name.partition(".")[0]) if deployment.facts else None
        if known is None or isinstance(known, Ambiguous) or known.action == "append":
            continue
        if "args" in flag.path:
            raw.append((known.dest, flag))
        else:
            first.setdefault(known.dest, flag)
    for destination, flag in raw:
        key = None if _changes_nothing(launch, destination) else LAYOUT[deployment.engine].get(destination)
        other = first.get(destination)
        if other is not None and "." in other.name and "." in flag.name:
            continue  # two parts of one JSON value
        if other is not None and other.path and other.path[:-1] == flag.path[:-1]:
            continue  # two keys of one mapping: ENG113
        first.setdefault(destination, flag)
        message = _message(flag, other, key)
        if message is not None:
            fix = f"remove it, and set {_dotted_or(other, key)}" if key else "remove one of them"
            yield Violation(message, flag.path, fix)


def _message(flag: Flag, other: Flag | None, key: str | None) -> str | None:
    if other is not None and other.path:
        return f"{flag.name} is already set by {dotted(other.path)}"
    if key is not None:
        return f"{flag.name} belongs to {key}: sizes under args are not placed"
    return f"{flag.name} is already set by launchplan for this process" if other is not None else None


def _dotted_or(other: Flag | None, key: str) -> str:
    return dotted(other.path) if other is not None and other.path else key


def _changes_nothing(launch: Launch, destination: str) -> bool:
    """Tell whether a switch leaves the layout as it is: expert parallelism over one rank."""
    sizes = [pool.pool.parallel for pool in launch.layout.pools]
    return destination == "enable_expert_parallel" and all(size.tp * size.dp == 1 for size in sizes)
