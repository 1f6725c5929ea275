"""The facts in which the layouts of one search differ, and sets of them.

A search writes recipes that differ in a few facts only: the sizes, the hosts, the GPU, the format of the KV
cache, the draft. What follows from which of them stands in `fit.follows`.
"""

from __future__ import annotations

from launchplan.catalog import Gpu
from launchplan.fit.candidate import Candidate

Mask = int
"""A set of facts, one bit each."""
SIZES = ("tp", "pp", "dp", "ep", "dcp")
_OF_GPU = tuple(Gpu.model_fields)
FACTS = (
    *SIZES,
    "kv",
    "speculative",
    "places",
    "world",
    "replica",
    "nodes",
    "gpus_per_node",
    *(f"gpu.{name}" for name in _OF_GPU),
)
"""Every fact in which the layouts of one search differ."""
ALL: Mask = (1 << len(FACTS)) - 1
OF_GPU: Mask = ALL & ~((1 << FACTS.index("gpus_per_node") + 1) - 1)
"""The facts that follow from the GPU alone."""
OF_CHOICE: Mask = 1 << FACTS.index("kv") | 1 << FACTS.index("speculative")
"""The facts that each arrangement of ranks is searched with every value of."""


def values_of(candidate: Candidate) -> tuple[object, ...]:
    """Give the facts of a layout, in the order of `FACTS`; a GPU's fields by their text, to be compared."""
    drafted = candidate.speculative
    draft = (drafted.method, drafted.model, drafted.tokens) if drafted else None
    return (
        candidate.tp, candidate.pp, candidate.dp, candidate.ep, candidate.dcp, candidate.kv, draft,
        _places(candidate), candidate.gpus, candidate.tp * candidate.pp, candidate.nodes,
        candidate.gpus_per_node, *_gpu_values(candidate.gpu.id, candidate.gpu),
    )  # fmt: skip


def values_on(values: tuple[object, ...], gpu: Gpu) -> tuple[object, ...]:
    """Give the facts of the same layout on another GPU, in hosts of the same size."""
    return (*values[: -len(_OF_GPU)], *_gpu_values(gpu.id, gpu))


def _places(layout: Candidate) -> tuple[object, ...]:
    """Give what vLLM is told about hosts: many layouts are told the same (`engines.vllm.build`).

    A layout that cannot be placed on its hosts is told from all its sizes.
    """
    replica, world = layout.tp * layout.pp, layout.gpus
    share, rest = divmod(world, layout.nodes)
    if rest or world > layout.nodes * layout.gpus_per_node or max(replica, share) % min(replica, share):
        return ("unplaced", layout.nodes, layout.gpus_per_node, layout.tp, layout.pp, layout.dp)
    if layout.nodes == 1:
        return ("one host", world == 1)
    if layout.dp == 1 or replica > share:
        return ("ranks span hosts", layout.nodes)
    return ("replicas on hosts", share // replica)


_GPUS: dict[str, tuple[object, ...]] = {}


def _gpu_values(name: str, gpu: Gpu) -> tuple[object, ...]:
    if name not in _GPUS:
        held = gpu.__dict__
        _GPUS[name] = tuple(
            each if isinstance(each := held[field], str | int | None) else str(each) for field in _OF_GPU
        )
    return _GPUS[name]


def mask(*names: str) -> Mask:
    """Give the set of the facts of these names; `gpu` is every fact of the GPU."""
    found = 0
    for name in names:
        for index, fact in enumerate(FACTS):
            if fact == name or (name == "gpu" and fact.startswith("gpu.")):
                found |= 1 << index
    return found


def names_of(facts: Mask) -> tuple[str, ...]:
    """List the names of a set of facts."""
    return tuple(name for index, name in enumerate(FACTS) if facts >> index & 1)
