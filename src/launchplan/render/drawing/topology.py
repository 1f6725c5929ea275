"""The topology of one instance: nodes, their GPUs, the groups of each, and the link that groups cross."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.layout import GroupKind, PoolLayout, Rank
from launchplan.render.drawing.shapes import Drawing, Line, Rect, Shape, Text, text_width

_ORDER: tuple[GroupKind, ...] = ("pp", "dp", "tp", "dcp", "ep")
_COLOURS = 8
_CELL, _STRIPE, _GAP, _PAD, _HEAD = 46.0, 17.0, 6.0, 10.0, 22.0
_PER_ROW = 8
"""GPUs beside one another in a node."""
_WIDTH = 900.0
_MOST_NODES = 16
"""Nodes that are drawn; the others are laid out like them."""
_LABEL = 12.0


@dataclass(frozen=True, slots=True)
class Scene:
    """A layout with the names that the drawing prints."""

    layout: PoolLayout
    hosts: tuple[str, ...]
    """Name of each node's host; empty where it is not known."""
    within: str
    """What joins the GPUs of a node."""
    between: str
    """What joins the nodes."""


@dataclass(frozen=True, slots=True)
class _Grid:
    kinds: tuple[GroupKind, ...]
    """The kinds with more than one rank in a group, slowest first."""
    across: int
    """GPUs beside one another."""
    node_width: float
    node_height: float
    columns: int
    left: float
    """Where the first node begins: right of the trunk that joins the rows."""


def group_kinds(layout: PoolLayout) -> tuple[GroupKind, ...]:
    """List the kinds of groups that a layout has, the slowest index first."""
    return tuple(kind for kind in _ORDER if any(len(group) > 1 for group in layout.groups[kind]))


def topology(name: str, scene: Scene) -> Drawing:
    """Draw one instance of a pool."""
    layout = scene.layout
    shown = min(layout.pool.nodes, _MOST_NODES)
    grid = _grid(layout, shown)
    groups = {kind: _group_of(layout, kind) for kind in grid.kinds}
    rows = -(-shown // grid.columns)
    shapes: list[Shape] = []
    for node in range(shown):
        shapes += _node(scene, grid, groups, node)
    pitch = grid.node_height + _row_gap(scene)
    end = rows * pitch
    shapes += _trunk(scene, grid, shown)
    if shown < layout.pool.nodes:
        more = layout.pool.nodes - shown
        shapes.append(Text(grid.left, end + 14, f"and {more} more nodes, laid out like these", "note"))
        end += 20
    width = grid.left + grid.columns * (grid.node_width + _PAD)
    bottom = _crossing_label(scene)
    if bottom:
        width = max(width, grid.left + text_width(bottom, _LABEL) + _PAD)
        end += 8
    return Drawing(name, width, end + 4, _title(scene), _description(scene, grid.kinds), tuple(shapes))


def _grid(layout: PoolLayout, shown: int) -> _Grid:
    kinds = group_kinds(layout)
    across = min(layout.ranks_per_node, _PER_ROW)
    down = -(-layout.ranks_per_node // across)
    width = 2 * _PAD + across * _CELL + (across - 1) * _GAP
    cell = _cell_height(kinds)
    height = _HEAD + down * (cell + _GAP) + _HEAD
    left = 18.0 if layout.pool.nodes > 1 else 1.0
    columns = min(shown, max(1, int((_WIDTH - left) // (width + _PAD))))
    return _Grid(kinds, across, width, height, columns, left)


def _cell_height(kinds: tuple[GroupKind, ...]) -> float:
    return _STRIPE * (1 + len(kinds))


def _group_of(layout: PoolLayout, kind: GroupKind) -> dict[int, int]:
    """Map each rank to the index of its group."""
    return {rank: index for index, group in enumerate(layout.groups[kind]) for rank in group}


def _corner(scene: Scene, grid: _Grid, node: int) -> tuple[float, float]:
    row, column = divmod(node, grid.columns)
    x = grid.left + column * (grid.node_width + _PAD)
    return x, 1 + row * (grid.node_height + _row_gap(scene))


def _row_gap(scene: Scene) -> float:
    return 24.0 if _crossing_label(scene) else 10.0


def _node(scene: Scene, grid: _Grid, groups: dict[GroupKind, dict[int, int]], node: int) -> Iterator[Shape]:
    x, y = _corner(scene, grid, node)
    yield Rect(x, y, grid.node_width, grid.node_height, "node", 6)
    name = f"node {node}" if node or scene.layout.pool.nodes == 1 else "node 0, the head"
    host = scene.hosts[node] if node < len(scene.hosts) else ""
    title = f"{name} ({host})" if host else name
    room = int((grid.node_width - 2 * _PAD) / (_LABEL * 0.6))
    yield Text(x + _PAD, y + 16, title if len(title) <= room else title[: room - 1] + "…", "strong")
    ranks = [rank for rank in scene.layout.ranks if rank.node == node]
    for place, rank in enumerate(ranks):
        line, column = divmod(place, grid.across)
        left = x + _PAD + column * (_CELL + _GAP)
        top = y + _HEAD + line * (_cell_height(grid.kinds) + _GAP)
        yield from _gpu(rank, grid.kinds, groups, (left, top))
    inside = [kind for kind in grid.kinds if scene.layout.link(kind) == "node"]
    told = f"{scene.within}: {', '.join(inside)}" if inside else scene.within
    yield Text(
        x + _PAD, y + grid.node_height - 8, told if len(told) <= room else told[: room - 1] + "…", "note"
    )


def _gpu(
    rank: Rank,
    kinds: tuple[GroupKind, ...],
    groups: dict[GroupKind, dict[int, int]],
    corner: tuple[float, float],
) -> Iterator[Shape]:
    x, y = corner
    told = ", ".join(f"{kind} group {groups[kind][rank.index]}" for kind in kinds)
    tip = f"rank {rank.index}, GPU {rank.gpu}" + (f": {told}" if told else "")
    yield Rect(x, y, _CELL, _cell_height(kinds), "gpu", 3, tip)
    yield Text(x + _CELL / 2, y + 12.5, str(rank.index), "rank", "middle")
    for place, kind in enumerate(kinds, 1):
        group, top = groups[kind][rank.index], y + place * _STRIPE
        yield Rect(x, top, _CELL, _STRIPE, f"g{group % _COLOURS}")
        yield Text(x + _CELL / 2, top + 12.5, f"{kind}{group}", "on", "middle")


def _crossing(scene: Scene) -> tuple[str, tuple[GroupKind, ...]]:
    """Say which groups leave their node, and whether over the network or within an NVLink domain."""
    layout = scene.layout
    for link in ("network", "domain"):
        kinds = tuple(kind for kind in group_kinds(layout) if layout.link(kind) == link)
        if kinds:
            return link, kinds
    return "", ()


def _crossing_label(scene: Scene) -> str:
    link, kinds = _crossing(scene)
    if not link:
        return ""
    names = ", ".join(kinds)
    over = scene.between or "the network, which the recipe does not name"
    what = "one domain over the nodes" if link == "domain" else "between the nodes"
    return f"{over}, {what}: {names}"


def _trunk(scene: Scene, grid: _Grid, shown: int) -> Iterator[Shape]:
    """Draw the link that joins the nodes: a line below each row, and one at the side that joins the rows."""
    link, _ = _crossing(scene)
    if not link:
        return
    kind = f"link-{link}"
    lines: list[float] = []
    for first in range(0, shown, grid.columns):
        row = range(first, min(first + grid.columns, shown))
        corners = [_corner(scene, grid, node) for node in row]
        y = corners[0][1] + grid.node_height + 9
        lines.append(y)
        middles = [x + grid.node_width / 2 for x, _ in corners]
        yield Line(((6, y), (middles[-1], y)), kind)
        for middle in middles:
            yield Line(((middle, y - 9), (middle, y)), kind)
    if len(lines) > 1:
        yield Line(((6, lines[0]), (6, lines[-1])), kind)
    yield Text(grid.left, lines[-1] + 16, _crossing_label(scene), "label")


def _title(scene: Scene) -> str:
    layout = scene.layout
    return f"{layout.pool.nodes} x {layout.ranks_per_node} GPUs and the groups of their ranks"


def _description(scene: Scene, kinds: tuple[GroupKind, ...]) -> str:
    layout = scene.layout
    told = [
        f"{len(layout.groups[kind])} {kind} groups of {len(layout.groups[kind][0])} ranks" for kind in kinds
    ]
    crossing = _crossing_label(scene)
    return "; ".join([*told, crossing] if crossing else told or ["one rank"])
