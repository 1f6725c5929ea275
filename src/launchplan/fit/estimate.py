"""A quick figure to choose by: what a layout would hold, from the exact memory of a few others.

Weights of a rank follow from the sizes, bytes of a request from tp, dcp, cache format and draft. The figures
decide only in which order layouts are computed exactly (`fit.judge`); no report shows them.
"""

from __future__ import annotations

from dataclasses import replace

from launchplan.architecture import Architecture
from launchplan.catalog import Gpu
from launchplan.fit.candidate import Candidate, Question
from launchplan.fit.judge import memory_of_layout
from launchplan.memory.capacity import RankMemory

_NOT_IN_LAYERS = frozenset({"vision", "projector", "mtp", "buffers"})
_SURELY_TOO_LARGE = 1.03
"""Weights of so many times the memory of a GPU are not computed exactly any more."""


class Estimate:
    """Figures for the layouts of one question, on the GPUs of one search."""

    def __init__(self, question: Question, model: Architecture, reference: Gpu) -> None:
        """Compute one GPU exactly; `known` is False where the model's memory is not known at all."""
        self._question, self._reference = question, reference
        self._requests: dict[tuple[object, ...], float] = {}
        moe = model.moe
        self._used = (
            min(1.0, moe.experts_per_token / moe.num_experts) if moe and moe.experts_per_token else 1.0
        )
        alone = self._exact(Candidate(reference, 1, 1, 1))
        self.known = alone is not None
        classes = dict(alone.budget.by_class) if alone else {}
        self._experts = classes.pop("experts", 0)
        self._dense = sum(size for name, size in classes.items() if name not in _NOT_IN_LAYERS)
        self._share = alone.budget.share if alone else 0.9

    def weights(self, layout: Candidate) -> float:
        """Give the bytes of weights on a rank."""
        return (self._dense / layout.tp + self._experts / (layout.tp * layout.dp)) / layout.pp

    def fits(self, layout: Candidate, memory_bytes: int) -> bool:
        """Tell whether the exact computation is worth the time."""
        return self.weights(layout) <= memory_bytes * self._share * _SURELY_TOO_LARGE

    def requests(self, layout: Candidate, memory_bytes: int) -> float:
        """Give the requests of the usual length that all replicas hold."""
        left = max(0.0, memory_bytes * self._share - self.weights(layout))
        return layout.dp * layout.pp * left / self._request_bytes(layout)

    def pace(self, layout: Candidate) -> float:
        """Give how fast one request is, against others of the search: the inverse of the bytes it reads."""
        drafts = layout.speculative.tokens if layout.speculative else 0
        read = self._dense / layout.tp + self._experts * self._used / (layout.tp * layout.dp)
        return (1 + drafts) / max(read, 1.0)

    def _request_bytes(self, layout: Candidate) -> float:
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
