"""Where the ranks sit: the drawing of each pool, and its groups as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.engines import Launch
from launchplan.layout import GroupKind, PoolLayout
from launchplan.render.drawing.shapes import Drawing
from launchplan.render.drawing.topology import Scene, group_kinds, topology
from launchplan.units import plural

_NAMES: dict[GroupKind, str] = {
    "pp": "pipeline parallel",
    "dp": "data parallel",
    "tp": "tensor parallel",
    "dcp": "decode context parallel",
    "ep": "expert parallel",
}


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One kind of groups."""

    kind: str
    name: str
    groups: str
    link: str


@dataclass(frozen=True, slots=True)
class PoolMap:
    """One instance of a pool."""

    title: str
    heading: str
    """What its table of groups is called."""
    drawing: Drawing
    groups: tuple[GroupRow, ...]

    @property
    def has_groups(self) -> bool:
        """Whether ranks work together at all."""
        return bool(self.groups)


def pool_maps(launch: Launch) -> Iterator[PoolMap]:
    """Draw each pool."""
    first = 0
    for layout in launch.layout.pools:
        pool = layout.pool
        scene = Scene(layout, _hosts(launch, first, pool.nodes), _within(layout), _between(layout))
        named = len(launch.layout.pools) > 1
        copies = f", one of {plural(pool.replicas, 'instance')}" if pool.replicas > 1 else ""
        title = f"{pool.role}{copies}" if named else f"One instance{copies}"
        heading = f"groups of {title}" if named else "groups"
        yield PoolMap(title, heading, topology(f"map-{pool.role}", scene), tuple(_rows(scene)))
        first += pool.nodes * pool.replicas


def _hosts(launch: Launch, first: int, nodes: int) -> tuple[str, ...]:
    hosts = launch.layout.resolved.deployment.hosts[first : first + nodes]
    return tuple(host.name or host.address for host in hosts)


def _within(layout: PoolLayout) -> str:
    """Name what joins the GPUs of a node, as far as the catalog knows."""
    gpu = layout.pool.gpu
    if layout.ranks_per_node == 1:
        return "one GPU"
    return gpu.link if gpu is not None and gpu.link else "within the node"


def _between(layout: PoolLayout) -> str:
    fabric = layout.pool.fabric
    return fabric.name if fabric is not None else ""


def _rows(scene: Scene) -> Iterator[GroupRow]:
    layout = scene.layout
    links = {
        "none": "nothing: one rank each",
        "node": f"stay in a node ({scene.within})",
        "domain": f"cross nodes of one domain ({scene.between})"
        if scene.between
        else "cross nodes of one domain",
        "network": f"cross the network ({scene.between or 'which the recipe does not name'})",
    }
    for kind in group_kinds(layout):
        groups = layout.groups[kind]
        told = f"{len(groups)} of {plural(len(groups[0]), 'rank')}"
        yield GroupRow(kind, _NAMES[kind], told, links[layout.link(kind)])
