"""The whole answer to `fit`: what was run, what rules and memory accept besides, and why nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from launchplan import catalog
from launchplan.architecture import Architecture
from launchplan.catalog import Checkpoint, Gpu
from launchplan.finding import Finding
from launchplan.fit.candidate import Candidate, Question
from launchplan.fit.evidence import Published, evidenced_gpus, published
from launchplan.fit.judge import Judged
from launchplan.fit.search import Found, Progress, search
from launchplan.fit.space import Limits
from launchplan.fit.windows import usual_window
from launchplan.fit.workload import filled, window_for
from launchplan.memory.capacity import Count
from launchplan.recipe.schema import Workload
from launchplan.resolve.model import ModelSource

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


def answer(wish: Wish, progress: Progress = lambda _text: None) -> Fits:
    """Search the layouts of a model, published ones first."""
    entry = wish.model.entry
    own = wish.checkpoint or wish.model.default_checkpoint or None
    first = _question(wish, own, wish.model.architecture)
    runs = published(first)
    evidenced = evidenced_gpus(entry, runs)
    gpus = _gpus(wish)
    searched = [gpu for gpu in gpus if wish.derived or gpu.id in evidenced]
    left_out = tuple(gpu.id for gpu in gpus if gpu not in searched)
    names = {gpu.id for gpu in gpus} if wish.gpus else None
    offers = [_published_offer(wish, run) for run in runs if _is_wanted(wish, run, names)]
    misses, layouts = list[Miss](), 0
    for checkpoint, model in _checkpoints(wish):
        found, without = _searched(wish, checkpoint, model, searched, progress)
        layouts += found.layouts
        misses += without
        offers += [_derived(wish, each) for place in found.places for each in place.offers]
        misses += [miss for place in found.places if (miss := _missed(place.gpu, checkpoint, place.miss))]
    kept = tuple(sorted((each for each in offers if each.judged.serves), key=lambda each: _rank(wish, each)))
    short = [each for each in offers if not each.judged.serves]
    misses += _short_of_workload(first, short, kept)
    front = tuple(each for each in kept if not _is_beaten(each, kept))
    return Fits(wish, first, kept, front, tuple(misses), layouts, tuple(short), left_out)


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


def _searched(
    wish: Wish, checkpoint: str | None, model: Architecture, gpus: Iterable[Gpu], progress: Progress
) -> tuple[Found, list[Miss]]:
    """Search one checkpoint on the GPUs that it is made for and whose memory is known."""
    facts = wish.model.entry.checkpoint(checkpoint) if wish.model.entry and checkpoint else None
    fitting = [gpu for gpu in gpus if gpu.memory_total_bytes and gpu.vendor in VENDORS]
    misses = [
        Miss(gpu.id, checkpoint, "its memory is not known, or its vendor's builds are not checked")
        for gpu in gpus
        if gpu not in fitting
    ]
    others = [gpu for gpu in fitting if not is_made_for(facts, gpu)]
    fitting = [gpu for gpu in fitting if gpu not in others]
    made = ", ".join(facts.gpus) if facts else ""
    misses += [Miss(gpu.id, checkpoint, f"the checkpoint is made for {made}") for gpu in others]
    if not fitting:
        return Found((), 0), misses
    found = search(_question(wish, checkpoint, model), model, fitting, wish.limits, progress)
    unknown = (
        f"the model's sizes or format, or what {wish.engine} settles by itself on this GPU, are not known"
    )
    misses += [Miss(gpu.id, checkpoint, f"its memory is not computed: {unknown}") for gpu in found.unknown]
    return found, misses


def is_made_for(facts: Checkpoint | None, gpu: Gpu) -> bool:
    """Tell whether the source of a checkpoint makes it for a GPU, or does not say."""
    return facts is None or not facts.gpus or bool({gpu.id, gpu.vendor} & {*facts.gpus})


def _is_wanted(wish: Wish, run: Published, names: set[str] | None) -> bool:
    candidate = run.judged.candidate
    chosen = names is None or candidate.gpu.id in names
    same = wish.checkpoint in {None, run.judged.question.checkpoint}
    return chosen and same and candidate.gpus <= wish.limits.max_gpus and run.judged.ok


def _price(wish: Wish, candidate: Candidate) -> float | None:
    each = wish.prices.get(candidate.gpu.id)
    return None if each is None else each * candidate.gpus


def _published_offer(wish: Wish, run: Published) -> Offer:
    source, status = run.evidence.source, run.evidence.status
    price = _price(wish, run.judged.candidate)
    return Offer(run.judged, status, source, run.name, price, run.evidence.figures)


def _derived(wish: Wish, judged: Judged) -> Offer:
    return Offer(judged, "derived", price_per_hour=_price(wish, judged.candidate))


def _missed(gpu: Gpu, checkpoint: str | None, judged: Judged | None) -> Miss | None:
    if judged is None:
        return None
    error = next(iter(judged.errors), None)
    if error is None:
        return Miss(gpu.id, checkpoint, "its memory is not computed", None, judged.candidate)
    return Miss(gpu.id, checkpoint, error.message, error, judged.candidate)


def _short_of_workload(question: Question, short: list[Offer], kept: tuple[Offer, ...]) -> list[Miss]:
    """Say what the GPUs serve at most that hold the model but not the workload."""
    serving = {_class(each) for each in kept}
    best: dict[tuple[str, str | None], Offer] = {}
    for each in short:
        if each.recipe is not None:
            best[each.recipe, None] = each
        elif _class(each) not in serving:
            now = best.get(_class(each))
            best[_class(each)] = max(now or each, each, key=lambda offer: offer.requests.value)
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


def _class(offer: Offer) -> tuple[str, str | None]:
    return offer.candidate.gpu.id, offer.judged.question.checkpoint


def _rank(wish: Wish, offer: Offer) -> tuple[object, ...]:
    """Published before derived, then what surely holds, then cost or GPUs, then the goal."""
    judged = offer.judged
    cost = offer.price_per_hour if wish.prices else None
    speed, width = judged.tokens_per_s_per_user or 0.0, judged.requests.value
    asked = float(offer.candidate.kv is not None)  # a format that nobody has to ask for is the simpler one
    goal = (-width, -speed) if wish.workload.goal == "throughput" else (-speed, asked, -width)
    unpriced = bool(wish.prices) and cost is None
    return (
        offer.evidence == "derived", unpriced, cost or 0.0, offer.candidate.gpus, not judged.sure, *goal,
        offer.candidate.gpu.id, str(judged.question.checkpoint), offer.candidate.layout,
    )  # fmt: skip


def _is_beaten(offer: Offer, others: Iterable[Offer]) -> bool:
    """Tell whether another derived layout on the same GPU and checkpoint is as good in all, better in one."""
    if offer.evidence != "derived":
        return False
    mine = _figures(offer)
    return any(
        all(a >= b for a, b in zip(_figures(other), mine, strict=True)) and _figures(other) != mine
        for other in others
        if other is not offer and _class(other) == _class(offer)
    )


def _figures(offer: Offer) -> tuple[float, ...]:
    judged = offer.judged
    return (
        float(judged.sure), -float(offer.candidate.gpus), judged.requests.value,
        judged.tokens_per_s_per_user or 0.0,
    )  # fmt: skip
