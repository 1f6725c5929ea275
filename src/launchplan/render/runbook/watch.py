"""What to watch: the metrics of the engine's release that matter for this shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.catalog.signals import Signals, When
from launchplan.engines import Launch


@dataclass(frozen=True, slots=True)
class Watched:
    """One row of the table."""

    topic: str
    name: str
    healthy: str


def watched(launch: Launch, known: Signals | None) -> tuple[Watched, ...]:
    """Choose the metrics that a launch of this shape has."""
    if known is None:
        return ()
    there = set(_traits(launch))
    return tuple(Watched(each.topic, each.name, each.healthy) for each in known.metrics if each.when in there)


def watch_notes(launch: Launch, known: Signals | None) -> Iterator[str]:
    """Say where the metrics are, and in which release their names were looked up."""
    if known is None:
        return
    heads = [process for process in launch.processes if process.port is not None and process.role != "router"]
    yield f"`/metrics` of {', '.join(process.name for process in heads)}, for Prometheus."
    flags = {flag.name for process in heads for flag in process.flags}
    if known.metrics_flag is not None and known.metrics_flag not in flags:
        key = known.metrics_flag.removeprefix("--")
        yield f"This launch has none: set `args: {{{key}: true}}` in the recipe for `{known.metrics_flag}`."
    label = launch.layout.resolved.deployment.engine_label
    if known.label != label:
        yield f"The names were looked up in {known.label}; {label} may call some of them otherwise."


def _traits(launch: Launch) -> Iterator[When]:
    yield "always"
    pools = launch.layout.resolved.pools
    if any(pool.speculative for pool in pools):
        yield "speculative"
    if len(pools) > 1:
        yield "pools"
    if all(pool.serve.prefix_caching is not False for pool in pools):
        yield "prefix"
    models = [pool.architecture for pool in pools if pool.architecture is not None]
    if any(model.is_hybrid for model in models):
        yield "state"
    if any(model.count_attention("sliding") for model in models):
        yield "sliding"
