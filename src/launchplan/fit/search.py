"""Search the layouts of one checkpoint: the rules judge every one, the best are computed exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from launchplan.architecture import Architecture
from launchplan.catalog import Gpu
from launchplan.fit.candidate import Candidate, Question
from launchplan.fit.estimate import Estimate
from launchplan.fit.facts import values_of
from launchplan.fit.follows import pool_of
from launchplan.fit.judge import EARLY_WARNINGS, Judged, is_warned, judge
from launchplan.fit.readings import key_of
from launchplan.fit.shapes import Running, Shape, best_of_each_kind, fast, shape_of, wide
from launchplan.fit.space import Limits, candidates, drafts_of, gpu_counts, per_node
from launchplan.fit.verdicts import Verdicts
from launchplan.rules import Rule

Progress = Callable[[str], None]
_EACH = 4
"""Numbers of GPUs that surely serve and are all computed; of more GPUs only the doubles are."""


@dataclass(frozen=True, slots=True)
class OnGpu:
    """What a search found on one GPU."""

    gpu: Gpu
    checkpoint: str | None
    offers: tuple[Judged, ...]
    """Layouts that pass the check, the fewest GPUs first; for each number of GPUs the best by each goal."""
    miss: Judged | None = None
    """The nearest layout, where there is no offer."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search over one checkpoint found."""

    places: tuple[OnGpu, ...]
    layouts: int
    """Layouts that were decided on."""
    unknown: tuple[Gpu, ...] = ()
    """GPUs on which the memory of this checkpoint is not computed: nothing was searched there."""


def search(
    question: Question, model: Architecture, gpus: Sequence[Gpu], limits: Limits, progress: Progress
) -> Found:
    """Search the layouts of a checkpoint on GPUs whose memory is known."""
    estimate = Estimate(question, model, gpus)
    gpus = [gpu for gpu in gpus if gpu not in estimate.unknown]
    if not gpus:
        return Found((), 0, estimate.unknown)
    verdicts, warnings = Verdicts(question), Verdicts(question, EARLY_WARNINGS)
    places, layouts = list[OnGpu](), 0
    for host in sorted({per_node(gpu, limits) for gpu in gpus}):
        group = [gpu for gpu in gpus if per_node(gpu, limits) == host]
        fits_any = estimate.fits_any(group)
        shapes: list[Shape] = []
        for layout in candidates(group[0], host, model, drafts_of(question.entry), limits):
            layouts += len(group)
            if not fits_any(layout):
                continue
            values = values_of(layout)
            if verdicts.of_shape(layout, values) is None:
                shapes.append(shape_of(layout, values, estimate))
        hosts = _Hosts(question, host, limits, estimate, verdicts, warnings, shapes)
        for gpu in group:
            progress(f"{question.checkpoint or question.model} on {gpu.id}: {layouts:,} layouts")
            places.append(hosts.search(gpu))
    return Found(tuple(places), layouts, estimate.unknown)


@dataclass(slots=True)
class _Hosts:
    """The search on GPUs that stand in hosts of one size."""

    question: Question
    host: int
    """GPUs of a host."""
    limits: Limits
    estimate: Estimate
    verdicts: Verdicts
    warnings: Verdicts
    shapes: list[Shape]
    """What no rule refuses whatever the GPU is."""

    def search(self, gpu: Gpu) -> OnGpu:
        """Choose the offers on a GPU, again as long as a rule refuses one that had been left out before."""
        while True:
            running = self._running(gpu)
            rules = self.verdicts.open_rules  # which ones are open, is known now
            seen = _Judge(self.question, gpu, rules, self.warnings)
            offers = tuple(_offers(seen, running))
            miss = None if offers else self._nearest_miss(gpu)
            judged = (*seen.judged, miss) if miss else seen.judged
            if not self.verdicts.wake({error.code for each in judged for error in each.errors}):
                return OnGpu(gpu, self.question.checkpoint, offers, miss)
            of_shape = self.verdicts.of_shape
            self.shapes = [each for each in self.shapes if of_shape(each.layout, each.values) is None]

    def _running(self, gpu: Gpu) -> dict[int, list[Running]]:
        """Give the layouts that run on a GPU, as far as the rules say that are not deferred, by GPUs."""
        found: dict[int, list[Running]] = {}
        near = max(gpu.scale_up_domain_gpus, self.host)
        held, refuses = self.estimate.on(gpu), self.verdicts.on_gpu
        for shapes in _of_equal_weights(self.shapes):
            sizes = shapes[0].layout
            weights = held.weights(sizes)
            if weights > held.largest:
                continue
            left, far = held.room - weights, sizes.tp > near
            found.setdefault(sizes.gpus, []).extend(
                Running(shape, shape.requests(left), far)
                for shape in shapes
                if refuses(gpu, shape.layout, shape.values) is None
            )
        return {gpus: running for gpus, running in found.items() if running}

    def _nearest_miss(self, gpu: Gpu) -> Judged:
        """Give the layout that comes nearest to running where none does: the fewest GPUs that hold it."""
        here = self.estimate.on(gpu)
        weights = [(here.weights(shape.layout), shape) for shape in self.shapes]
        held = [(size, shape) for size, shape in weights if size <= here.largest]
        if held:
            _, nearest = max(held, key=lambda each: (each[1].requests(here.room - each[0]), *each[1].plain))
            return judge(self.question, nearest.on(gpu))
        if weights:
            _, lightest = min(weights, key=lambda each: (each[0], -each[1].layout.tp))
            return judge(self.question, lightest.on(gpu))
        spreads = [_spread(gpu, self.host, count) for count in gpu_counts(self.host, self.limits)]
        return judge(self.question, next((each for each in spreads if here.fits(each)), spreads[-1]))


def _of_equal_weights(shapes: Iterable[Shape]) -> Iterable[list[Shape]]:
    """Put those together that split the weights alike."""
    found: dict[tuple[int, int, int], list[Shape]] = {}
    for shape in shapes:
        layout = shape.layout
        found.setdefault((layout.tp, layout.pp, layout.dp), []).append(shape)
    return found.values()


def _offers(judged: _Judge, running: dict[int, list[Running]]) -> Iterator[Judged]:
    quick = fast(judged.question.workload.concurrency or 1)
    serving: list[int] = []
    for gpus, layouts in sorted(running.items()):
        if len(serving) >= _EACH and gpus < 2 * serving[-1]:
            continue
        alone = [each for each in layouts if each.shape.layout.speculative is None]
        drafting = [each for each in layouts if each.shape.layout.speculative is not None]
        offered: set[tuple[object, ...]] = set()
        for some, goal in ((alone, quick), (alone, wide), (drafting, quick)):
            found = _best(judged, best_of_each_kind(some, goal))
            if found is not None and found.candidate.key not in offered:
                offered.add(found.candidate.key)
                yield found
                if found.sure and found.serves and gpus not in serving:
                    serving.append(gpus)


class _Judge:
    """Judges the shapes on a GPU exactly, each once."""

    def __init__(self, question: Question, gpu: Gpu, rules: tuple[Rule, ...], warnings: Verdicts) -> None:
        self.question = question
        self._gpu = gpu
        self._rules = rules
        self._warnings = warnings
        self._seen: dict[Shape, Judged] = {}
        self._warned: dict[Shape, bool] = {}
        self._pool = key_of(pool_of(question.engine))
        self._full: set[Any] = set()
        """By what the bytes of a pool follow from: where none are left."""

    def __call__(self, shape: Shape) -> Judged:
        if shape not in self._seen:
            judged = self._seen[shape] = judge(self.question, shape.on(self._gpu), self._rules)
            if judged.is_full:
                self._full.add(self._pool(shape.values))
        return self._seen[shape]

    def is_full(self, shape: Shape) -> bool:
        """Tell whether a layout without a pool was seen that differs only in what a pool is divided into."""
        return self._pool(shape.values) in self._full

    @property
    def judged(self) -> tuple[Judged, ...]:
        """What was judged."""
        return tuple(self._seen.values())

    def warns(self, shape: Shape) -> bool:
        """Tell whether it is clear without the whole check that it warns of a shape."""
        if shape in self._seen:
            return False
        if shape not in self._warned:
            self._warned[shape] = self._is_warned(shape)
        return self._warned[shape]

    def _is_warned(self, shape: Shape) -> bool:
        warnings, layout, values = self._warnings, shape.layout, shape.values
        found = warnings.of_shape(layout, values) or warnings.on_gpu(self._gpu, layout, values)
        return found is not None or is_warned(self.question, shape.on(self._gpu), warnings.deferred)


def _best(judge_of: _Judge, ranked: Iterable[Shape]) -> Judged | None:
    """Give the first layout that passes without a warning, else the first that may hold tokens."""
    first: Judged | None = None
    for shape in ranked:
        if judge_of.is_full(shape) or (first is not None and judge_of.warns(shape)):
            continue
        judged = judge_of(shape)
        if not judged.ok or judged.is_empty:
            continue
        if not judged.warnings and judged.sure:
            return judged
        first = first or judged
    return first


def _spread(gpu: Gpu, host: int, gpus: int) -> Candidate:
    return Candidate(gpu, max(1, gpus // host), min(gpus, host), gpus)
