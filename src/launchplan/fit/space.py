"""The layouts that are searched: every one that fills its GPUs, on as many hosts as people rent together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from launchplan import catalog
from launchplan.architecture import Architecture
from launchplan.catalog import Gpu, ModelEntry
from launchplan.catalog.models import Speculative
from launchplan.fit.candidate import Candidate
from launchplan.units import divisors

USUAL_PER_NODE = 8
"""GPUs of a host where neither the GPU nor a machine of the catalog says: what servers for cards hold."""
LARGEST_PP = 16
"""More pipeline stages are not searched: nobody has published any."""
KV_FORMATS = (None, "fp8")


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a search goes."""

    max_gpus: int = 128
    gpus_per_node: int | None = None
    """GPUs of a host, where the catalog's count is not wanted."""


def per_node(gpu: Gpu, limits: Limits) -> int:
    """Give the GPUs of a host: as asked, as the GPU is built in, as somebody rents it, else eight."""
    rented = (preset.gpus_per_node for preset in catalog.cluster_presets() if preset.gpu == gpu.id)
    return limits.gpus_per_node or gpu.gpus_per_node or max(rented, default=USUAL_PER_NODE)


def gpu_counts(host: int, limits: Limits) -> tuple[int, ...]:
    """List the numbers of GPUs: equal parts of one host, beyond it 2, 3, 4, 6, 8, 12, 16 ... whole hosts."""
    counts = list(divisors(host, limits.max_gpus))
    counts += [nodes * host for nodes in range(2, limits.max_gpus // host + 1) if _usual(nodes)]
    return tuple(counts)


def _usual(nodes: int) -> bool:
    """Tell whether people rent so many hosts together: 2, 4, 8 ... and half as many again: 3, 6, 12 ..."""
    odd = nodes // (nodes & -nodes)
    return odd in {1, 3}


def drafts_of(entry: ModelEntry | None) -> tuple[Speculative | None, ...]:
    """List the ways to draft: none, and the first that was published of each method."""
    found: dict[str, Speculative] = {}
    for each in entry.speculative if entry else ():
        if each.method is not None:
            found.setdefault(each.method, each)
    return (None, *found.values())


def candidates(
    gpu: Gpu, host: int, model: Architecture, drafts: Iterable[Speculative | None], limits: Limits
) -> Iterator[Candidate]:
    """Enumerate the layouts on hosts of a GPU, the fewest GPUs first."""
    for gpus in gpu_counts(host, limits):
        nodes, here = max(1, gpus // host), min(gpus, host)
        for tp, pp, dp in splits(gpus, min(LARGEST_PP, model.num_hidden_layers or LARGEST_PP)):
            for ep in dict.fromkeys((1, tp * dp)) if model.is_moe else (1,):
                for dcp in divisors(tp, tp):
                    for kv in KV_FORMATS:
                        for draft in drafts:
                            yield Candidate(gpu, nodes, here, tp, pp, dp, ep, dcp, kv, draft)


def splits(gpus: int, most_stages: int) -> Iterator[tuple[int, int, int]]:
    """Give every (tp, pp, dp) that fills so many GPUs, with so many pipeline stages at most."""
    for tp in divisors(gpus, gpus):
        for pp in divisors(gpus // tp, most_stages):
            yield tp, pp, gpus // tp // pp
