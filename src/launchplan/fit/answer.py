"""The whole answer to `fit`: what was run, what rules and memory accept besides, and why nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial

from launchplan import catalog
from launchplan.architecture import Architecture
from launchplan.catalog import Checkpoint, Gpu
from launchplan.finding import Finding
from launchplan.fit.candidate import Candidate, Question
from launchplan.fit.evidence import Run, evidenced_gpus, published
from launchplan.fit.judge import Judged
from launchplan.fit.parcel import packed, unpacked
from launchplan.fit.ranking import class_of, front, rank
from launchplan.fit.search import Found, Progress, search
from launchplan.fit.space import Limits
from launchplan.fit.windows import usual_window
from launchplan.fit.workload import filled, window_for
from launchplan.memory.capacity import Count
from launchplan.recipe.schema import Workload
from launchplan.resolve.model import ModelSource

Spread = Callable[[Sequence[Callable[[], bytes]]], AbstractContextManager[Iterable[bytes]]]
"""Starts tasks, at the same time or not, and gives their results in order; what still runs ends with it."""
VENDORS = frozenset({"nvidia", "amd"})
"""Vendors whose builds of the engines the rules speak about."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to know."""

    model: ModelSource
    engine: str
    version: str
    gpus: tuple[str, ...] = ()
    """Ids of GPUs; empty: every GPU with evidence, or with `derived` every GPU."""
    checkpoint: str | None = None
    workload: Workload = field(default_factory=Workload)
    limits: Limits = field(default_factory=Limits)
    fabric: str | None = None
    derived: bool = False
    """Whether GPUs on which nobody is known to have run the model are searched, too."""
    prices: Mapping[str, float] = field(default_factory=dict)
    """Price of one GPU for an hour, by GPU id."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One layout that passes the check, with what it gives."""

    judged: Judged
    evidence: str
    """`verified` or `documented` for a published recipe, else `derived`."""
    source: str | None = None
    recipe: str | None = None
    """The shipped recipe that it is."""
    price_per_hour: float | None = None
    figures: Mapping[str, object] = field(default_factory=dict)
    """What the evidence measured."""

    @property
    def candidate(self) -> Candidate:
        """The layout."""
        return self.judged.candidate

    @property
    def requests(self) -> Count:
        """Requests at once, of the usual length."""
        return self.judged.requests


@dataclass(frozen=True, slots=True)
class Miss:
    """Why a GPU has no layout."""

    gpu: str
    checkpoint: str | None
    reason: str
    finding: Finding | None = None
    candidate: Candidate | None = None


@dataclass(frozen=True, slots=True)
class Fits:
    """The layouts of a model that fit, and why others don't."""

    wish: Wish
    question: Question
    offers: tuple[Offer, ...]
    """Published ones first, then derived ones, each with the fewest GPUs first."""
    front: tuple[Offer, ...]
    """Those that no other on the same GPU and checkpoint beats in GPUs, requests and speed."""
    misses: tuple[Miss, ...]
    layouts: int
    """Layouts that were decided on."""
    short: tuple[Offer, ...] = ()
    """Layouts that hold the model but not the workload."""
    unevidenced: tuple[str, ...] = ()
    """GPUs that were left out because nobody is known to have run the model there."""

    @property
    def minimum(self) -> Offer | None:
        """The offer with the fewest GPUs; of those the first."""
        return min(self.offers, key=lambda each: each.candidate.gpus, default=None)


def answer(wish: Wish, progress: Progress = lambda _text: None, spread: Spread | None = None) -> Fits:
    """Search the layouts of a model, published ones first.

    The checkpoints are searched apart from each other; `spread` may do that at the same time.
    """
    entry = wish.model.entry
    own = wish.checkpoint or wish.model.default_checkpoint or None
    first = _question(wish, own, wish.model.architecture)
    runs = published(first)
    evidenced = evidenced_gpus(entry, runs)
    gpus = _gpus(wish)
    searched = [gpu for gpu in gpus if wish.derived or gpu.id in evidenced]
    left_out = tuple(gpu.id for gpu in gpus if gpu not in searched)
    names = {gpu.id for gpu in gpus} if wish.gpus else None
    misses, layouts = list[Miss](), 0
    parts = [_part(wish, checkpoint, model, searched) for checkpoint, model in _checkpoints(wish)]
    with _started(wish, parts, progress, spread) as results:
        offers = [_published_offer(wish, run, judged) for run, judged in _wanted(wish, runs, names)]
        for part, found in zip(parts, results, strict=True):
            layouts += found.layouts
            misses += part.misses
            misses += [Miss(gpu.id, part.checkpoint, _not_computed(wish)) for gpu in found.unknown]
            offers += [_derived(wish, each) for place in found.places for each in place.offers]
            misses += [
                miss for place in found.places if (miss := _missed(place.gpu, part.checkpoint, place.miss))
            ]
    kept = tuple(sorted((each for each in offers if each.judged.serves), key=lambda each: rank(wish, each)))
    short = [each for each in offers if not each.judged.serves]
    misses += _short_of_workload(first, short, kept)
    return Fits(wish, first, kept, tuple(front(kept)), tuple(misses), layouts, tuple(short), left_out)


def _question(wish: Wish, checkpoint: str | None, model: Architecture | None) -> Question:
    entry = wish.model.entry
    window = window_for(wish.workload, model.derived_max_model_len if model else None)
    usual = usual_window(model.derived_max_model_len if model else None)
    return Question(
        model=wish.model.name,
        checkpoint=checkpoint if entry else None,
        engine=wish.engine,
        version=wish.version,
        window=window or usual,
        workload=filled(wish.workload),
        entry=entry,
        window_fixed=window is not None,
        fabric=wish.fabric,
    )


def _gpus(wish: Wish) -> tuple[Gpu, ...]:
    if not wish.gpus:
        return tuple(gpu for gpu in catalog.gpus() if gpu.vendor in VENDORS and gpu.memory_total_bytes)
    found = {gpu.id: gpu for name in wish.gpus if (gpu := catalog.gpu(name)) is not None}
    return tuple(found.values())


def _checkpoints(wish: Wish) -> list[tuple[str | None, Architecture]]:
    """List the checkpoints to search, each with the architecture that it has."""
    entry = wish.model.entry
    if entry is None:
        return [(None, wish.model.architecture)] if wish.model.architecture else []
    names = [wish.checkpoint] if wish.checkpoint else [each.id for each in entry.checkpoints]
    return [(name, entry.architecture(name if entry.checkpoint(name) else None)) for name in names]


@dataclass(frozen=True, slots=True)
class _Part:
    """What is searched of one checkpoint."""

    checkpoint: str | None
    model: Architecture
    gpus: tuple[Gpu, ...]
    misses: tuple[Miss, ...]
    """The GPUs that are left out."""


def _part(wish: Wish, checkpoint: str | None, model: Architecture, gpus: Iterable[Gpu]) -> _Part:
    """Pick the GPUs that a checkpoint is made for and whose memory is known."""
    facts = wish.model.entry.checkpoint(checkpoint) if wish.model.entry and checkpoint else None
    fitting = [gpu for gpu in gpus if gpu.memory_total_bytes and gpu.vendor in VENDORS]
    misses = [
        Miss(gpu.id, checkpoint, "its memory is not known, or its vendor's builds are not checked")
        for gpu in gpus
        if gpu not in fitting
    ]
    others = [gpu for gpu in fitting if not is_made_for(facts, gpu)]
    made = ", ".join(facts.gpus) if facts else ""
    misses += [Miss(gpu.id, checkpoint, f"the checkpoint is made for {made}") for gpu in others]
    return _Part(checkpoint, model, tuple(gpu for gpu in fitting if gpu not in others), tuple(misses))


@contextmanager
def _started(
    wish: Wish, parts: list[_Part], progress: Progress, spread: Spread | None
) -> Iterator[Iterable[Found]]:
    """Search the checkpoints, in turn or as `spread` does it; the search of one knows nothing of another."""

    def one(part: _Part) -> Found:
        if not part.gpus:
            return Found((), 0)
        question = _question(wish, part.checkpoint, part.model)
        return search(question, part.model, part.gpus, wish.limits, progress)

    if spread is None:
        yield map(one, parts)
        return
    with spread([partial(_parcel, one, part) for part in parts]) as results:
        yield map(unpacked, results)


def _not_computed(wish: Wish) -> str:
    newest = catalog.engine_models(wish.engine, catalog.versions(wish.engine)[-1])
    if newest is not None and catalog.engine_models(wish.engine, wish.version) is None:
        return f"what {wish.engine} {wish.version} settles by itself is not known: name a newer version"
    unknown = f"what {wish.engine} settles by itself on this GPU"
    return f"its memory is not computed: the model's sizes or format, or {unknown}, are not known"


def _parcel(search_of: Callable[[_Part], Found], part: _Part) -> bytes:
    return packed(search_of(part))


def is_made_for(facts: Checkpoint | None, gpu: Gpu) -> bool:
    """Tell whether the source of a checkpoint makes it for a GPU, or does not say."""
    return facts is None or not facts.gpus or bool({gpu.id, gpu.vendor} & {*facts.gpus})


def _wanted(wish: Wish, runs: Iterable[Run], names: set[str] | None) -> Iterator[tuple[Run, Judged]]:
    """Give the published runs that were asked for and pass the check, each with what it holds."""
    for run in runs:
        chosen = names is None or run.candidate.gpu.id in names
        same = wish.checkpoint in {None, run.resolved.deployment.checkpoint}
        if chosen and same and run.candidate.gpus <= wish.limits.max_gpus and (judged := run.judged()).ok:
            yield run, judged


def _price(wish: Wish, candidate: Candidate) -> float | None:
    each = wish.prices.get(candidate.gpu.id)
    return None if each is None else each * candidate.gpus


def _published_offer(wish: Wish, run: Run, judged: Judged) -> Offer:
    source, status = run.evidence.source, run.evidence.status
    return Offer(judged, status, source, run.name, _price(wish, run.candidate), run.evidence.figures)


def _derived(wish: Wish, judged: Judged) -> Offer:
    return Offer(judged, "derived", price_per_hour=_price(wish, judged.candidate))


def _missed(gpu: Gpu, checkpoint: str | None, judged: Judged | None) -> Miss | None:
    if judged is None:
        return None
    error = next(iter(judged.errors), None)
    if error is None:
        empty = next((each.message for each in judged.warnings if each.at == "memory"), None)
        reason = empty if judged.is_empty and empty else "its memory is not computed"
        return Miss(gpu.id, checkpoint, reason, None, judged.candidate)
    return Miss(gpu.id, checkpoint, error.message, error, judged.candidate)


def _short_of_workload(question: Question, short: list[Offer], kept: tuple[Offer, ...]) -> list[Miss]:
    """Say what the GPUs serve at most that hold the model but not the workload."""
    serving = {class_of(each) for each in kept}
    best: dict[tuple[str, str | None], Offer] = {}
    for each in short:
        if each.recipe is not None:
            best[each.recipe, None] = each
        elif class_of(each) not in serving:
            now = best.get(class_of(each))
            best[class_of(each)] = max(now or each, each, key=lambda offer: offer.requests.value)
    wanted = question.workload.concurrency or 1
    return [
        Miss(
            each.candidate.gpu.id,
            each.judged.question.checkpoint,
            f"holds {each.requests.value:,.0f} of {wanted:,} requests of"
            f" {each.judged.request_tokens:,} tokens"
            + (f" ({each.evidence}: {each.recipe})" if each.recipe else ""),
            None,
            each.candidate,
        )
        for each in best.values()
    ]
