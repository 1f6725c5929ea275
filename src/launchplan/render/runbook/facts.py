"""What the deployment is: model, checkpoint, engine, hardware, layout, and why anyone should believe it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan import catalog
from launchplan.engines import Launch
from launchplan.engines.container import engine_image, toolkit_of
from launchplan.engines.ports import last_value
from launchplan.engines.router import router_kind
from launchplan.layout import PoolLayout
from launchplan.resolve import Deployment
from launchplan.units import bytes_text, plural

_EVIDENCE = {
    "verified": "verified: whoever wrote the recipe ran it",
    "documented": "documented: others published that they ran it",
    "derived": "derived: computed from the model's and the hardware's figures; nobody has run it",
}
_LINKS = {"network": "cross the network", "domain": "stay in one NVLink domain of several hosts"}


@dataclass(frozen=True, slots=True)
class Fact:
    """One row of a table."""

    name: str
    text: str


def facts(launch: Launch) -> Iterator[Fact]:
    """List the facts of a launch, the recipe's evidence last."""
    deployment = launch.layout.resolved.deployment
    recipe = deployment.recipe.value
    held = deployment.checkpoint_facts
    known = [held.format, *([bytes_text(held.bytes)] if held.bytes else [])] if held else []
    yield Fact("model", deployment.model.id if deployment.model else recipe.model)
    yield from _model(deployment)
    yield Fact(
        "checkpoint", f"{deployment.checkpoint} ({', '.join(known)})" if known else deployment.checkpoint
    )
    yield Fact("served as", launch.model_name)
    yield Fact("engine", deployment.engine_label)
    yield from _software(launch)
    for pool in launch.layout.pools:
        side = "" if pool.pool.role == "serve" else f"{pool.pool.role} "
        yield Fact(f"{side}hardware", _hardware(pool))
        yield Fact(f"{side}layout", _layout(pool))
        yield from _features(launch, pool, side)
    if deployment.cluster is not None:
        yield Fact("cluster", deployment.cluster.value.name)
    yield from _evidence(deployment)


def _software(launch: Launch) -> Iterator[Fact]:
    """Say what the engine comes in, what driver it needs, and which router stands in front."""
    resolved = launch.layout.resolved
    images = {pool.role: engine_image(resolved, pool.role) for pool in resolved.pools}
    for image in dict.fromkeys(images.values()):
        if image.reference is not None:
            own = "" if image.origin != "published" else ", as the engine's project publishes it"
            yield Fact("image", f"{image.reference}{own}")
    toolkits = {toolkit_of(resolved, pool.role): None for pool in resolved.pools}
    for toolkit in toolkits:
        if toolkit is not None:
            label = resolved.deployment.engine_label
            yield Fact("driver", f"{toolkit.driver} or newer: {label} is built with {toolkit.toolkit}")
    release = router_release(launch)
    if release is not None:
        yield Fact("router", " ".join(release))


def router_release(launch: Launch) -> tuple[str, str] | None:
    """Give package and version of the router that the flags were looked up in; None without a router."""
    if all(process.role != "router" for process in launch.processes):
        return None
    kind = router_kind(launch.layout.resolved.deployment)
    return kind, catalog.versions(kind)[-1]


def _hardware(layout: PoolLayout) -> str:
    pool = layout.pool
    gpu = pool.gpu.name if pool.gpu else pool.gpu_name
    fabric = f", {pool.fabric.name}" if pool.fabric and pool.nodes > 1 else ""
    copies = f", {plural(pool.replicas, 'instance')}" if pool.replicas > 1 else ""
    return f"{plural(pool.nodes, 'node')} with {layout.ranks_per_node} x {gpu}{fabric}{copies}"


def _layout(layout: PoolLayout) -> str:
    parallel = layout.pool.parallel
    sizes = {name: getattr(parallel, name) for name in ("tp", "pp", "dp", "ep", "dcp")}
    parts = [", ".join(f"{name} {size}" for name, size in sizes.items() if size > 1) or "one GPU"]
    for link, what in _LINKS.items():
        kinds = [kind for kind in layout.groups if layout.link(kind) == link]
        parts += [f"{', '.join(kinds)} groups {what}"] if kinds else []
    return "; ".join(parts)


def _evidence(deployment: Deployment) -> Iterator[Fact]:
    evidence = deployment.evidence
    if evidence is None:
        yield Fact("evidence", "none: the recipe names nobody who ran this layout")
        return
    yield Fact("evidence", _EVIDENCE[evidence.status])
    if evidence.source:
        looked = f", looked at {evidence.checked}" if evidence.checked else ""
        yield Fact("source", f"{evidence.source}{looked}")
    for name, value in evidence.figures.items():
        yield Fact("figure", f"{name}: {value}")
    if evidence.note:
        yield Fact("left open", evidence.note)


def _model(deployment: Deployment) -> Iterator[Fact]:
    """Say how large the model is, what it takes and how far it reaches, as far as the catalog knows."""
    entry, architecture = deployment.model, deployment.architecture
    if entry is not None and entry.parameters.total is not None:
        active = f", {_billions(entry.parameters.active)} active a token" if entry.parameters.active else ""
        yield Fact("parameters", f"{_billions(entry.parameters.total)}{active}")
    if entry is not None:
        yield Fact("input", ", ".join(entry.modalities))
    if architecture is not None and architecture.max_position_embeddings is not None:
        yield Fact("window", f"{architecture.max_position_embeddings:,} tokens")


def _billions(count: int) -> str:
    return f"{count / 1e12:.2f}T" if count >= 1e12 else f"{count / 1e9:.1f}B"


def _features(launch: Launch, layout: PoolLayout, side: str) -> Iterator[Fact]:
    """Say which parsers are on and how tokens are drafted."""
    pool = layout.pool
    process = next(each for each in launch.processes if each.role == pool.role)
    known = (("tool calls", "--tool-call-parser"), ("reasoning", "--reasoning-parser"))
    parsers = [f"{what} ({name})" for what, flag in known if (name := last_value(process, flag))]
    if parsers:
        yield Fact(f"{side}parsers", ", ".join(parsers))
    if pool.speculative is not None:
        drafts = f", {plural(pool.speculative.tokens, 'token')} a step" if pool.speculative.tokens else ""
        model = f", drafted by {pool.speculative.model}" if pool.speculative.model else ""
        yield Fact(f"{side}speculative decoding", f"{pool.speculative.method}{drafts}{model}")
