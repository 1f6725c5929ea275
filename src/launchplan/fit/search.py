"""Search the layouts of one checkpoint: the rules judge every one, the best are computed exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from launchplan.architecture import Architecture
from launchplan.catalog import Gpu
from launchplan.fit.candidate import Candidate, Question
from launchplan.fit.estimate import Estimate
from launchplan.fit.facts import values_of
from launchplan.fit.judge import Judged, judge
from launchplan.fit.space import Limits, candidates, drafts_of, gpu_counts, per_node
from launchplan.fit.verdicts import Verdicts
from launchplan.rules import Rule

Progress = Callable[[str], None]
_TRIES = 3
"""Layouts of one goal that are computed exactly for a number of GPUs, each of another kind."""
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
    estimates = _estimates(question, model, gpus)
    unknown = tuple(gpu for gpu in gpus if gpu.vendor not in estimates)
    gpus = [gpu for gpu in gpus if gpu.vendor in estimates]
    if not gpus:
        return Found((), 0, unknown)
    estimate = next(iter(estimates.values()))
    verdicts, places, layouts = Verdicts(question), list[OnGpu](), 0
    for host in sorted({per_node(gpu, limits) for gpu in gpus}):
        group = [gpu for gpu in gpus if per_node(gpu, limits) == host]
        most = max(gpu.memory_total_bytes or 0 for gpu in group)
        shapes: list[Candidate] = []
        for layout in candidates(group[0], host, model, drafts_of(question.entry), limits):
            layouts += len(group)
            if estimate.fits(layout, most) and verdicts.of_shape(layout, values_of(layout)) is None:
                shapes.append(layout)
        for gpu in group:
            progress(f"{question.checkpoint or question.model} on {gpu.id}: {layouts:,} layouts")
            running = _running(verdicts, estimate, gpu, shapes)
            seen = _Judge(question, verdicts.open_rules)
            offers = tuple(_offers(seen, gpu, host, running, estimate))
            miss = None if offers else nearest_miss(question, gpu, host, limits, estimate, shapes)
            places.append(OnGpu(gpu, question.checkpoint, offers, miss))
    return Found(tuple(places), layouts, unknown)


def _estimates(question: Question, model: Architecture, gpus: Sequence[Gpu]) -> dict[str, Estimate]:
    """Compute the largest GPU of each vendor, the largest of all first; one vendor may be unknown."""
    found: dict[str, Estimate] = {}
    for gpu in sorted(gpus, key=lambda gpu: gpu.memory_total_bytes or 0, reverse=True):
        if gpu.vendor not in found:
            found[gpu.vendor] = Estimate(question, model, gpu)
    return {vendor: each for vendor, each in found.items() if each.known}


def _running(
    verdicts: Verdicts, estimate: Estimate, gpu: Gpu, shapes: Iterable[Candidate]
) -> dict[int, list[Candidate]]:
    """Give the layouts that run on a GPU, as far as the rules that are not deferred say, by their GPUs."""
    found: dict[int, list[Candidate]] = {}
    memory = gpu.memory_total_bytes or 0
    for shape in shapes:
        if not estimate.fits(shape, memory):
            continue
        layout = replace(shape, gpu=gpu)
        if verdicts.on_gpu(layout, values_of(layout)) is None:
            found.setdefault(layout.gpus, []).append(layout)
    return found


def _offers(
    judged: _Judge, gpu: Gpu, host: int, running: dict[int, list[Candidate]], estimate: Estimate
) -> Iterator[Judged]:
    near = max(gpu.scale_up_domain_gpus, host)
    memory = gpu.memory_total_bytes or 0
    wanted = judged.question.workload.concurrency or 1

    def fast(layout: Candidate) -> tuple[float, ...]:
        enough = min(estimate.requests(layout, memory) / wanted, 1.0)
        return enough, -(layout.tp > near), estimate.pace(layout), *_plain(layout)

    def wide(layout: Candidate) -> tuple[float, ...]:
        return -(layout.tp > near), estimate.requests(layout, memory), *_plain(layout)

    serving: list[int] = []
    for gpus, layouts in sorted(running.items()):
        if len(serving) >= _EACH and gpus < 2 * serving[-1]:
            continue
        alone = [layout for layout in layouts if layout.speculative is None]
        drafting = [layout for layout in layouts if layout.speculative is not None]
        offered: set[tuple[object, ...]] = set()
        for some, goal in ((alone, fast), (alone, wide), (drafting, fast)):
            found = _best(judged, sorted(some, key=goal, reverse=True), near)
            if found is not None and found.candidate.key not in offered:
                offered.add(found.candidate.key)
                yield found
                if found.sure and found.serves and gpus not in serving:
                    serving.append(gpus)


def _plain(layout: Candidate) -> tuple[float, ...]:
    """Prefer, among equals, the layout with the fewest settings: experts whole where replicas share them."""
    whole = layout.ep > 1
    return (
        float(whole == (layout.dp > 1)), -float(layout.pp), -float(layout.dcp), float(layout.kv is None),
    )  # fmt: skip


class _Judge:
    """Judges layouts exactly, each once."""

    def __init__(self, question: Question, rules: tuple[Rule, ...]) -> None:
        self.question = question
        self._rules = rules
        self._seen: dict[tuple[object, ...], Judged] = {}

    def __call__(self, layout: Candidate) -> Judged:
        if layout.key not in self._seen:
            self._seen[layout.key] = judge(self.question, layout, self._rules)
        return self._seen[layout.key]


def _best(judge_of: _Judge, ranked: Sequence[Candidate], near: int) -> Judged | None:
    """Give the first layout that passes the check without a warning, else the first that passes."""
    first: Judged | None = None
    for layout in _one_of_each_kind(ranked, near):
        judged = judge_of(layout)
        if not judged.ok:
            continue
        if not judged.warnings and judged.sure:
            return judged
        first = first or judged
    return first


def _one_of_each_kind(ranked: Sequence[Candidate], near: int) -> Iterator[Candidate]:
    """Pick the best of each kind: a second of the same kind would fail as the first did."""
    kinds: set[tuple[object, ...]] = set()
    for layout in ranked:
        kind = (layout.kv, layout.tp > near, layout.dp > 1, layout.dcp > 1, layout.pp > 1)
        if kind not in kinds:
            kinds.add(kind)
            yield layout
        if len(kinds) == _TRIES:
            return


def nearest_miss(
    question: Question, gpu: Gpu, host: int, limits: Limits, estimate: Estimate, shapes: Sequence[Candidate]
) -> Judged:
    """Give the layout that comes nearest to running where none does: the fewest GPUs that would hold it."""
    memory = gpu.memory_total_bytes or 0
    on_it = [replace(shape, gpu=gpu) for shape in shapes]
    held = [layout for layout in on_it if estimate.fits(layout, memory)]
    if held:
        return judge(question, max(held, key=lambda each: (estimate.requests(each, memory), *_plain(each))))
    if on_it:
        return judge(question, min(on_it, key=lambda each: (estimate.weights(each), -each.tp)))
    counts = gpu_counts(host, limits)
    most = next((count for count in counts if estimate.fits(_spread(gpu, host, count), memory)), counts[-1])
    return judge(question, _spread(gpu, host, most))


def _spread(gpu: Gpu, host: int, gpus: int) -> Candidate:
    return Candidate(gpu, max(1, gpus // host), min(gpus, host), gpus)
