"""The whole check of one layout, and the figures that an offer is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from launchplan.engines.budgets import PoolMemory, held_memory
from launchplan.finding import Finding, Severity
from launchplan.fit.candidate import Candidate, Question, recipe_of
from launchplan.fit.figures import Figures, figures_of
from launchplan.fit.windows import MAY_BE_TOO_MANY, fewer_requests, shorter_windows, too_long, too_many
from launchplan.layout import Layout, Link, PoolLayout, place
from launchplan.memory.capacity import Count
from launchplan.pipeline import Plan, plan_of, stages_of
from launchplan.resolve import Resolved, ResolvedPool, resolve
from launchplan.rules import RULES, Rule
from launchplan.rules.memory.ranks import rank_memory
from launchplan.rules.run import Stages

_ABOUT_EVIDENCE = frozenset({"OPS102", "OPS105"})
"""Findings that every layout of a search has."""
_FULL = "MEM201"
"""The error of a rank that surely has nothing left for a pool."""
_WITHOUT_WEIGHTS = frozenset({"ngram", "ngram_gpu", "suffix"})
"""Ways to draft that look into the text."""
_BEFORE_LAUNCH = (Resolved, ResolvedPool, Layout, PoolLayout)
"""Stages that are quick to build."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A layout with what the check says of it, and its memory where that is known."""

    question: Question = field(repr=False)
    candidate: Candidate
    findings: tuple[Finding, ...]
    figures: Figures | None = None
    """None where its memory is not known."""
    spans: tuple[tuple[str, Link], ...] = ()
    """What each group of ranks of more than one crosses."""
    memory: PoolMemory | None = field(repr=False, default=None)
    """What the figures were taken out of; a search does not keep it."""

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What stands in the way."""
        return tuple(each for each in self.findings if each.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What disappoints, besides what holds for every layout of the search."""
        found = (each for each in self.findings if each.severity is Severity.WARNING)
        return tuple(each for each in found if each.code not in _ABOUT_EVIDENCE)

    @property
    def ok(self) -> bool:
        """Whether it passes the check and its memory is known."""
        return not self.errors and self.figures is not None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left for a pool at any end of figures that are not sure enough for an error."""
        return self.figures is not None and self.figures.pool_tokens.high <= 0

    @property
    def is_full(self) -> bool:
        """Whether weights and what else a rank holds leave no byte for a pool, surely or by every figure."""
        return self.is_empty or any(each.code == _FULL for each in self.errors)

    @property
    def known(self) -> Figures:
        """The figures; raises ValueError where they are not known."""
        if self.figures is None:
            raise ValueError("the memory of this layout is not known")
        return self.figures

    @property
    def pool_tokens(self) -> Count:
        """Tokens that the pools of all replicas hold."""
        return self.known.pool_tokens

    @property
    def requests(self) -> Count:
        """Requests of the usual length that run at once on all replicas."""
        return self.known.requests

    @property
    def request_tokens(self) -> int:
        """The length that requests are counted at: the workload's mean, else max_model_len."""
        return self.known.request_tokens

    @property
    def tokens_per_s_per_user(self) -> float | None:
        """The bound of one request alone; None for a GPU whose bandwidth is not known."""
        return self.known.tokens_per_s_per_user

    @property
    def tokens_per_s(self) -> float | None:
        """The bound of all replicas, each with as many requests as it holds."""
        return self.known.tokens_per_s

    @property
    def draft_counted(self) -> bool | None:
        """Whether the draft's weights are part of the memory; None where nothing is loaded to draft with."""
        draft = self.candidate.speculative
        if draft is None or (draft.model is None and draft.method in _WITHOUT_WEIGHTS):
            return None
        return self.known.draft_counted

    @property
    def sure(self) -> bool:
        """Whether all is counted, and longest request and workload fit at the bad end of the interval."""
        wanted = self.question.workload.concurrency or 1
        return self.draft_counted is not False and self.holds_longest and self.requests.low >= wanted

    @property
    def holds_longest(self) -> bool:
        """Whether it holds a request of the longest length at the bad end of the interval, too."""
        longest = self.known.longest
        return longest is not None and longest.low >= 1

    @property
    def serves(self) -> bool:
        """Whether the workload fits by the figure in the middle of the interval."""
        wanted = self.question.workload.concurrency
        return wanted is None or self.requests.value >= wanted

    @property
    def held(self) -> PoolMemory:
        """The memory of the fullest rank, computed again where it was not kept."""
        found = self.memory or memory_of_layout(self.question, self.candidate)
        if found is None:
            raise ValueError("the memory of this layout is not known")
        return found


def judge(question: Question, candidate: Candidate, rules: tuple[Rule, ...] = RULES) -> Judged:
    """Check a layout as `launchplan check` checks its recipe, and compute what it holds.

    `rules` are those that are still to be asked. Where nobody asked for a window and only its length is
    refused, the longest that fits is taken; where the engine's own number of requests is more than there are
    blocks for recurrent state, as many as surely have one, but no fewer than the workload's.
    """
    judged = _of_window(question, candidate, rules)
    if not too_many(judged.findings):
        return judged
    wanted = -(-(question.workload.concurrency or 1) // candidate.dp)
    for requests in fewer_requests(wanted):
        fewer = _of_window(replace(question, max_num_seqs=requests), candidate, rules)
        if not fewer.ok:
            continue
        judged = fewer
        if not any(each.code == MAY_BE_TOO_MANY for each in fewer.warnings):
            break
    return judged


def _of_window(question: Question, candidate: Candidate, rules: tuple[Rule, ...]) -> Judged:
    judged = _judged(question, candidate, rules)
    if question.window_fixed or not too_long(judged.findings):
        return judged
    for tokens in shorter_windows(question.window or 0):
        shorter = _judged(replace(question, window=tokens), candidate, rules)
        if shorter.ok:
            return shorter
    return judged


def _judged(question: Question, candidate: Candidate, rules: tuple[Rule, ...]) -> Judged:
    loaded = recipe_of(question, candidate)
    stages = stages_of(loaded, heads_only=True)
    plan = plan_of(stages.resolved, stages.layout, stages.launch, stages.views, rules)
    # What was computed is many times the figures, and of a search only the first offer is sized.
    return replace(judged_plan(question, candidate, plan), memory=None)


def judged_plan(question: Question, candidate: Candidate, plan: Plan) -> Judged:
    """Add to a plan what it holds."""
    view = plan.views[0] if plan.views else None
    if view is None or plan.errors:
        return Judged(question, candidate, plan.findings)
    layout = plan.layout.pools[0] if plan.layout else None
    wide = [kind for kind, groups in layout.groups.items() if len(groups[0]) > 1] if layout else []
    spans = tuple((kind, layout.link(kind)) for kind in wide) if layout else ()
    held = held_memory(view, rank_memory(view))
    return Judged(question, candidate, plan.findings, figures_of(held) if held else None, spans, held)


EARLY_WARNINGS = tuple(
    rule
    for rule in RULES
    if rule.severity is Severity.WARNING and rule.stage in _BEFORE_LAUNCH and rule.code not in _ABOUT_EVIDENCE
)
"""Rules by which it is clear that a layout is warned of, whatever it holds and an engine is told.

A shorter window, which `judge` takes where nobody asked for one, changes nothing here: rules that compare the
window do so with a workload, and with one the window is asked for.
"""


def is_warned(question: Question, candidate: Candidate, rules: Iterable[Rule] = EARLY_WARNINGS) -> bool:
    """Tell whether one of these rules warns of a layout, at a fraction of the whole check's price."""
    resolved = resolve(recipe_of(question, candidate))
    stages = Stages(resolved, place(resolved))
    return any(
        True
        for rule in rules
        if rule.applies(question.engine, question.version)
        for stage in stages.of(rule.stage)
        for _ in rule.check(stage)
    )


def memory_of_layout(question: Question, candidate: Candidate) -> PoolMemory | None:
    """Compute the memory of a layout without asking whether it starts; None where it is not known."""
    stages = stages_of(recipe_of(question, candidate), heads_only=True)
    return held_memory(stages.views[0]) if stages.views else None
