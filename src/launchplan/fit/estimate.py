"""A quick figure to choose by: what a layout would hold, from the exact memory of a few others.

Weights of a rank follow from the sizes, bytes of a request from tp, dcp, cache format and draft. The figures
decide only in which order layouts are computed exactly (`fit.judge`); no report shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from launchplan.architecture import Architecture
from launchplan.catalog import Gpu
from launchplan.fit.candidate import Candidate, Question
from launchplan.fit.judge import memory_of_layout
from launchplan.memory.capacity import RankMemory

_NOT_IN_LAYERS = frozenset({"vision", "projector", "mtp", "buffers"})
_SURELY_TOO_LARGE = 1.03
"""Weights of so many times the memory of a GPU are not computed exactly any more."""

_USUAL_SHARE = 0.9
"""Of a small GPU SGLang takes less, by the sizes, too: the limit is not drawn that near."""


@dataclass(frozen=True, slots=True)
class Held:
    """What one GPU would hold of the whole model, and how much of itself the engine takes."""

    dense: int
    """Bytes of weights that tensor parallel ranks share."""
    experts: int
    """Bytes of weights that the ranks of all replicas share."""
    room: float
    """Bytes that the engine takes."""
    largest: float
    """Bytes of weights beyond which no layout is worth the exact computation."""

    def weights(self, layout: Candidate) -> float:
        """Give the bytes of weights on a rank."""
        return (self.dense / layout.tp + self.experts / (layout.tp * layout.dp)) / layout.pp

    def fits(self, layout: Candidate) -> bool:
        """Tell whether the exact computation is worth the time."""
        return self.weights(layout) <= self.largest


class Estimate:
    """Figures for the layouts of one question, on the GPUs of one search."""

    def __init__(self, question: Question, model: Architecture, gpus: Sequence[Gpu]) -> None:
        """Compute each GPU alone exactly: kernels, and with them the bytes of experts, differ by GPU.

        `unknown` are those on which the memory of the model is not known.
        """
        self._question = question
        self._requests: dict[tuple[object, ...], float] = {}
        moe = model.moe
        self._used = (
            min(1.0, moe.experts_per_token / moe.num_experts) if moe and moe.experts_per_token else 1.0
        )
        alone = {gpu.id: memory for gpu in gpus if (memory := self._exact(Candidate(gpu, 1, 1, 1)))}
        self.unknown = tuple(gpu for gpu in gpus if gpu.id not in alone)
        known = [gpu for gpu in gpus if gpu.id in alone]
        self._reference = max(known or gpus, key=lambda gpu: gpu.memory_total_bytes or 0)
        self._held = {gpu.id: _held(alone[gpu.id], gpu) for gpu in known}

    def on(self, gpu: Gpu) -> Held:
        """Give what one GPU of the search would hold."""
        return self._held[gpu.id]

    def fits_any(self, gpus: Iterable[Gpu]) -> Callable[[Candidate], bool]:
        """Give the function that tells whether a layout may fit one of these GPUs."""
        most: dict[tuple[int, int], Held] = {}
        for held in (self._held[gpu.id] for gpu in gpus):
            key = (held.dense, held.experts)
            most[key] = max(most.get(key, held), held, key=lambda each: each.room)
        kinds = tuple(most.values())
        return lambda layout: any(held.fits(layout) for held in kinds)

    def pace(self, layout: Candidate) -> float:
        """Give how fast one request is, against others of the search: the inverse of the bytes it reads."""
        drafts = layout.speculative.tokens if layout.speculative else 0
        held = self._held[self._reference.id]
        read = held.dense / layout.tp + held.experts * self._used / (layout.tp * layout.dp)
        return (1 + drafts) / max(read, 1.0)

    def request_bytes(self, layout: Candidate) -> float:
        """Give the bytes of a request of the usual length on a rank of each replica."""
        key = (layout.tp, layout.dcp, layout.kv, layout.speculative and layout.speculative.method)
        if key not in self._requests:
            gpu = self._reference
            host = gpu.gpus_per_node or layout.tp
            nodes = -(-layout.tp // host)
            alone = replace(
                layout, gpu=gpu, nodes=nodes, gpus_per_node=-(-layout.tp // nodes), pp=1, dp=1, ep=1
            )
            memory = self._exact(alone)
            found = memory.capacity.concurrency[0].request_bytes if memory else 0
            self._requests[key] = float(found or 1)
        return self._requests[key]

    def _exact(self, layout: Candidate) -> RankMemory | None:
        held = memory_of_layout(self._question, layout)
        return held.memory if held else None


def _held(memory: RankMemory, gpu: Gpu) -> Held:
    classes = dict(memory.budget.by_class)
    experts = classes.pop("experts", 0)
    dense = sum(size for name, size in classes.items() if name not in _NOT_IN_LAYERS)
    size, share = gpu.memory_total_bytes or 0, memory.budget.share
    return Held(dense, experts, size * share, size * max(share, _USUAL_SHARE) * _SURELY_TOO_LARGE)
