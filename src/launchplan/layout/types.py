"""Ranks, their places and their groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from launchplan.resolve import Resolved, ResolvedPool

GroupKind = Literal["tp", "pp", "dp", "ep", "dcp"]
Link = Literal["none", "node", "domain", "network"]
"""What the ranks of a group talk over: nothing, one host, one NVLink domain of several hosts, the fabric."""


@dataclass(frozen=True, slots=True)
class Rank:
    """One GPU of one instance; every index counts from 0."""

    index: int
    node: int
    gpu: int
    """Index of the GPU on its node."""
    tp: int
    pp: int
    dp: int


@dataclass(frozen=True, slots=True)
class PoolLayout:
    """One instance of a pool, rank by rank."""

    pool: ResolvedPool
    ranks: tuple[Rank, ...]
    ranks_per_node: int
    groups: Mapping[GroupKind, tuple[tuple[int, ...], ...]]
    """The rank indices of each group, by kind; a size of 1 gives one group a rank."""

    def nodes_of(self, group: tuple[int, ...]) -> tuple[int, ...]:
        """List the nodes that a group's ranks sit on, rising."""
        return tuple(sorted({self.ranks[index].node for index in group}))

    def link(self, kind: GroupKind) -> Link:
        """Say what the widest group of a kind crosses."""
        groups = self.groups[kind]
        if all(len(group) == 1 for group in groups):
            return "none"
        if all(len(self.nodes_of(group)) == 1 for group in groups):
            return "node"
        fabric = self.pool.fabric
        if fabric is not None and fabric.kind == "mnnvl":
            gpu = self.pool.gpu
            domain = gpu.scale_up_domain_gpus if gpu else 0
            return "domain" if len(self.ranks) <= domain else "network"
        return "network"

    @property
    def nodes_per_dp_rank(self) -> int:
        """Nodes that one data parallel rank spans; 1 when several fit on a node."""
        size = self.pool.parallel.tp * self.pool.parallel.pp
        return max(1, size // self.ranks_per_node)

    @property
    def dp_ranks_per_node(self) -> int:
        """Data parallel ranks on one node; 1 when one spans several nodes."""
        size = self.pool.parallel.tp * self.pool.parallel.pp
        return max(1, self.ranks_per_node // size)


@dataclass(frozen=True, slots=True)
class Layout:
    """All pools of a deployment, placed."""

    resolved: Resolved
    pools: tuple[PoolLayout, ...]
