"""How a start goes: its order, how long it takes, what the log says; how to stop, restart and roll back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.catalog.signals import Signals
from launchplan.engines import Launch, Process
from launchplan.engines.budgets import PoolMemory, instances_through_restart
from launchplan.engines.commands import shell_word
from launchplan.engines.launch import join
from launchplan.memory.cold_start import ColdStart, Seconds
from launchplan.render.runbook.blocks import Block
from launchplan.render.runbook.facts import Fact
from launchplan.units import bytes_text, duration_text, plural, storage_text

_SIDES = ("--prefill", "--decode")
"""Flags of both routers that name an instance."""
_ORIGINS = {"cluster": "the cluster file", "documented": "the recipe's evidence"}


@dataclass(frozen=True, slots=True)
class SeenLine:
    """A line of the head's log."""

    line: str
    means: str


def order(launch: Launch) -> Iterator[str]:
    """Say in which order the processes start."""
    layouts = launch.layout.pools
    if any(layout.pool.nodes > 1 for layout in layouts):
        yield "Start the head, then its followers. They wait for one another; none of them works alone."
    if len(layouts) > 1:
        yield "Start the router when every prefill and decode instance answers: it comes last."


def instances(router: Process) -> Block:
    """Ask every instance that a router sends to whether it is up."""
    urls = [flag.values[0] for flag in router.flags if flag.name in _SIDES and flag.values]
    asked = (shell_word(join(url, "/health")) for url in urls)
    lines = [f"curl --fail --silent --show-error --output /dev/null {url} && echo up" for url in asked]
    return Block("the instances of the router", "\n".join(lines))


def duration(launch: Launch, pools: tuple[PoolMemory, ...]) -> Iterator[Fact]:
    """Say how long a start takes, as far as that is known."""
    named = len(launch.layout.pools) > 1
    for pool in pools:
        if pool.start is not None:
            side = f"{pool.view.pool.role}: " if named else ""
            for fact in _start(pool.start):
                yield Fact(f"{side}{fact.name}", fact.text)
    limit = engine_timeout(launch)
    if limit is not None:
        yield Fact(
            "limit",
            f"the API server gives up on an engine that is not ready after {limit} s "
            "(`VLLM_ENGINE_READY_TIMEOUT_S`)",
        )


def _start(start: ColdStart) -> Iterator[Fact]:
    size = storage_text(start.node_bytes)
    if start.load_s is None or start.gigabytes_per_s is None:
        at_one = duration_text(start.node_bytes / 1e9)
        yield Fact(
            "reading the weights",
            f"{size} a node: {at_one} at 1 GB/s; the cluster file's "
            "`storage.read_gigabytes_per_s` says what this site has",
        )
    else:
        rate = f"{start.gigabytes_per_s:.1f} GB/s ({_ORIGINS[start.rate_origin]})"
        yield Fact("reading the weights", f"{duration_text(start.load_s)}: {size} a node at {rate}")
    around = _interval(start.around_s)
    yield Fact("around it", f"{around}: processes and rendezvous before, CUDA graphs after")
    if start.total_s is not None:
        yield Fact("in all", f"{_total(start)}; the bottleneck is {start.bottleneck}")


def _total(start: ColdStart) -> str:
    whole, around = start.total_s, duration_text(start.around_s.value)
    if whole is None:
        size, at_one = storage_text(start.node_bytes), duration_text(start.node_bytes / 1e9)
        return f"{around} and the reading of {size} a node, {at_one} at 1 GB/s"
    return f"{_interval(whole)}, an estimate"


def _interval(time: Seconds) -> str:
    return f"{duration_text(time.value)} ({duration_text(time.low)} to {duration_text(time.high)})"


def expectations(launch: Launch) -> Iterator[str]:
    """Say what a start looks like."""
    deployment = launch.layout.resolved.deployment
    facts = deployment.checkpoint_facts
    if facts is not None and facts.bytes is not None:
        yield f"Most of the start is reading {bytes_text(facts.bytes)} of weights."
    if any(layout.pool.nodes > 1 for layout in launch.layout.pools):
        yield "Only the head serves the API. Live processes say nothing about readiness."
    if deployment.engine == "sglang":
        yield "The first request is slow: kernels are compiled for it."


def log_lines(known: Signals | None) -> tuple[SeenLine, ...]:
    """List the lines of the log in the order of a start."""
    return tuple(SeenLine(each.line, each.means) for each in known.log) if known else ()


def engine_timeout(launch: Launch) -> str | None:
    """Give the seconds that vLLM waits for its engine; None for an engine that does not give up."""
    variable = "VLLM_ENGINE_READY_TIMEOUT_S"
    deployment = launch.layout.resolved.deployment
    if deployment.engine != "vllm":
        return None
    given = [each.value for each in (*launch.env, *launch.processes[0].env) if each.name == variable]
    if given:
        return "".join(part for part in given[-1] if isinstance(part, str))
    known = deployment.facts.variable(variable) if deployment.facts else None
    return str(known.default) if known is not None and known.default is not None else None


def stops(launch: Launch, *, scripts: bool) -> Iterator[str]:
    """Say how to stop, and what stays."""
    engine = launch.layout.resolved.deployment.engine
    if scripts:
        yield "Each script becomes its process, so Ctrl-C or SIGTERM to it reaches the engine."
    if any(layout.pool.nodes > 1 for layout in launch.layout.pools):
        by_ray = any(process.ray for process in launch.processes)
        yield (
            "Ray's workers end by themselves about a minute after their head."
            if by_ray
            else "A headless follower stays when the head has ended: stop every node."
            if engine == "vllm"
            else "The head takes up to half a minute to end, and its followers end after it."
        )
        yield "A process that hung at its start may not end on SIGTERM; kill it."
    if len(launch.layout.pools) > 1:
        yield "Stop the router first, so that no request is lost half way."


def restarts(launch: Launch, pools: tuple[PoolMemory, ...]) -> Iterator[str]:
    """Say how long a restart takes, and what that means for spare capacity."""
    if any(layout.pool.nodes > 1 for layout in launch.layout.pools):
        yield "A node cannot join again: after the loss of one, stop all nodes and start all of them."
    named = len(launch.layout.pools) > 1
    for pool in pools:
        side = f" of {pool.view.pool.role}" if named else ""
        if pool.start is not None:
            yield f"A restart{side} takes as long as a start, serving nothing: {_total(pool.start)}."
        yield from _spare(pool, side)


def _spare(pool: PoolMemory, side: str) -> Iterator[str]:
    wanted = pool.view.pool.deployment.recipe.value.workload.concurrency
    at = pool.memory.capacity.of(pool.inputs.lengths.usual[0])
    needed = instances_through_restart(pool)
    if wanted is None:
        yield f"`workload.concurrency` in the recipe tells how many instances{side} outlast a restart."
    elif at is not None and needed is not None:
        each = (
            f" on each of {plural(replicas, 'replica')}"
            if (replicas := pool.memory.capacity.replicas) > 1
            else ""
        )
        yield (
            f"One instance{side} holds {at.requests.value:,.1f} requests of {at.tokens:,} tokens{each}: "
            f"{plural(needed, 'instance')} serve {wanted:,} at once while one of them restarts."
        )


def rollback(launch: Launch) -> Iterator[str]:
    """Say what pins this deployment, and how to return to it."""
    label = launch.layout.resolved.deployment.engine_label
    yield "`manifest.json` holds the SHA-256 of the recipe, the cluster file and each file of this folder."
    yield "Render a change into a folder of its own; keep this one until the new one passed its load test."
    yield (
        f"To roll back, stop every process and start from this folder again. It needs {label}: "
        "keep the environment or the image of that release as long as the folder."
    )
