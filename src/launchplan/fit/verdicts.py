"""What the rules say of thousands of layouts, each rule run once for each combination of what it reads.

A rule is run on traced stages (`fit.traced`). Its verdict is kept under the values of the facts that it has
read; the next layout with the same values has the same verdict. When a run reads a fact that no earlier one
did, what is kept for the rule is given up. Rules that read too much to gain by it, and those about memory,
are left to the check of what is offered (`deferred`): no offer leaves without one. So are rules that have
refused nothing for a while, until they refuse an offer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from launchplan.catalog import Gpu
from launchplan.engines.view import EngineView
from launchplan.fit.candidate import Candidate, Question, recipe_of
from launchplan.fit.facts import ALL, OF_CHOICE, OF_GPU, Mask, values_of, values_on
from launchplan.fit.readings import Readings, Values, key_of
from launchplan.fit.traced import Tracer
from launchplan.pipeline import stages_from
from launchplan.resolve import Resolved, ResolvedPool, resolve
from launchplan.rules import RULES, Rule
from launchplan.rules.rule import ERROR, INFO

REFUSING = tuple(rule for rule in RULES if rule.severity is ERROR)
"""The rules that stand in the way of a launch."""
_TRIED = 400
"""Runs of a group of rules after which it must have answered more layouts than it was run for."""
_GAIN = 2
_PATIENCE = 96
"""Runs of a rule after which it must have refused something."""


@dataclass(slots=True)
class _Group:
    """Rules that read the same facts, and their verdict for each combination of those."""

    mask: Mask
    key: Callable[[Values], Any]
    rules: list[Rule] = field(default_factory=list)
    verdicts: dict[Any, Rule | None] = field(default_factory=dict)
    asked: int = 0


_SIZES, _CHOICES, _GPUS = range(3)
"""Tiers: rules about sizes and hosts, those about cache and draft besides, those about the GPU."""


@dataclass(slots=True)
class _Tier:
    """Groups of rules that are asked together, and what they say by all that any of them reads."""

    groups: tuple[_Group, ...]
    key: Callable[[Values], Any]
    known: dict[Any, Rule | None] = field(default_factory=dict)


def _tier(groups: Iterable[_Group]) -> _Tier:
    """Order groups so that those with few combinations refuse first; what is known is of one GPU."""
    ordered = tuple(sorted(groups, key=lambda group: group.mask.bit_count()))
    read: Mask = 0
    for group in ordered:
        read |= group.mask
    return _Tier(ordered, key_of(read & ~OF_GPU))


class Verdicts:
    """The verdicts of rules on the layouts of one question: of those that refuse, unless others are given."""

    def __init__(self, question: Question, rules: Iterable[Rule] = REFUSING) -> None:
        """Pick the rules that speak about the engine's version."""
        self._question = question
        self._tracer = Tracer()
        self._groups: dict[Mask, _Group] = {}
        self._tiers: tuple[_Tier, ...] = ()
        self._gpu: Gpu | None = None
        """The GPU of which the last tier knows verdicts."""
        self._layout: Candidate | None = None
        self._moves: tuple[Candidate, Candidate] | None = None
        """The last layout that was made for a GPU, and as what."""
        self._resolved: Resolved | None = None
        self._built: dict[type, tuple[Any, ...]] = {}
        self.deferred: list[Rule] = []
        """Rules that only the check of an offer asks."""
        self._resting: dict[str, tuple[Rule, Mask]] = {}
        """Those of them that are asked again once they refuse an offer."""
        self._woken: set[str] = set()
        """Those that were asked again."""
        self._idle: Counter[str] = Counter()
        """Runs of each rule that has refused nothing yet."""
        self._refusing: set[str] = set()
        self._open: tuple[Rule, ...] | None = None
        self.runs = 0
        """How often a rule was run."""
        self._readings = Readings()
        for rule in rules:
            if rule.applies(question.engine, question.version):
                self._file(rule, 0)
        self._sort()

    @property
    def open_rules(self) -> tuple[Rule, ...]:
        """The rules that an offer has still to be asked for: those left out here, and what only warns."""
        if self._open is None:
            judged = {rule.code for group in self._groups.values() for rule in group.rules}
            self._open = tuple(
                rule for rule in RULES if rule.code not in judged and rule.severity is not INFO
            )
        return self._open

    def wake(self, refusing: Collection[str]) -> bool:
        """Ask the rules again that refuse what was offered; tell whether one of them had been left out."""
        woken = [found for code in refusing if (found := self._resting.pop(code, None))]
        for rule, mask in woken:
            self._woken.add(rule.code)
            self.deferred.remove(rule)
            self._file(rule, mask)
        if woken:
            self._sort()
        return bool(woken)

    def refusal(self, candidate: Candidate) -> Rule | None:
        """Give a rule that refuses a layout; None when none of those that are not deferred does."""
        values = values_of(candidate)
        return self.of_shape(candidate, values) or self.on_gpu(candidate.gpu, candidate, values)

    def of_shape(self, candidate: Candidate, values: Values) -> Rule | None:
        """Give a rule that refuses a layout whatever its GPU is; one that reads the GPU is not asked."""
        tier = self._tiers[_SIZES]
        key = tier.key(values)
        found = tier.known[key] if key in tier.known else self._ask(_SIZES, candidate, values)
        # Hardly two layouts are the same to all of the others together.
        return found or self._of_groups(_CHOICES, candidate, values)

    def on_gpu(self, gpu: Gpu, shape: Candidate, values: Values) -> Rule | None:
        """Give a rule that reads the GPU and refuses a layout on it; `values` are those on any GPU."""
        tier = self._tiers[_GPUS]
        if gpu is not self._gpu:
            self._gpu, tier.known = gpu, {}
        key = tier.key(values)
        return tier.known[key] if key in tier.known else self._ask(_GPUS, shape, values_on(values, gpu), gpu)

    def _ask(self, number: int, shape: Candidate, values: Values, gpu: Gpu | None = None) -> Rule | None:
        """Ask the groups of a tier, and keep what they say."""
        found = self._of_groups(number, shape, values, gpu)
        tier = self._tiers[number]  # rules may have moved, and read more
        tier.known[tier.key(values)] = found
        return found

    def _moved(self, shape: Candidate, gpu: Gpu) -> Candidate:
        """Give a layout on a GPU, the same one for all rules; most layouts are judged without it."""
        if self._moves is None or self._moves[0] is not shape or self._moves[1].gpu is not gpu:
            self._moves = shape, replace(shape, gpu=gpu)
        return self._moves[1]

    def _of_groups(
        self, number: int, shape: Candidate, values: Values, gpu: Gpu | None = None
    ) -> Rule | None:
        groups = self._tiers[number].groups
        for group in groups:
            key = group.key(values)
            group.asked += 1
            if key in group.verdicts:
                rule = group.verdicts[key]
            else:
                layout = shape if gpu is None else self._moved(shape, gpu)
                rule = self._run(group, layout, values, key)
                if rule is None and self._tiers[number].groups is not groups:
                    # Rules have moved: those that were asked answer at once.
                    return self._of_groups(number, shape, values, gpu)
            if rule is not None:
                return rule
        return None

    def _run(self, group: _Group, candidate: Candidate, values: Values, key: Any) -> Rule | None:
        """Run a group's rules on a layout; those that read more than it knows move to another group.

        What those say is asked of their new group: it may be one about the GPU, and this layout any GPU's.
        """
        moved: list[tuple[Rule, Mask]] = []
        refusing: list[Rule] = []
        for rule in group.rules:
            refuses, mask = self._verdict(rule, candidate, values)
            if refuses:
                refusing.append(rule)
            if mask & ~group.mask:
                moved.append((rule, group.mask | mask))
        for rule, mask in moved:
            group.rules.remove(rule)
            self._file(rule, mask)
        group.verdicts[key] = next((rule for rule in refusing if rule in group.rules), None)
        if self._rest(group) or moved or not group.rules:
            self._sort()
        return group.verdicts[key]

    def _rest(self, group: _Group) -> bool:
        """Leave out rules of a group that gain little or refuse nothing; tell whether there were any.

        One that was asked again stays: it is known to refuse layouts that would be offered.
        """
        dear = len(group.verdicts) > _TRIED and group.asked < _GAIN * len(group.verdicts)
        rested = [
            rule
            for rule in group.rules
            if rule.code not in self._woken and (dear or self._idle[rule.code] > _PATIENCE)
        ]
        for rule in rested:
            group.rules.remove(rule)
            self.deferred.append(rule)
            self._resting[rule.code] = rule, group.mask
        return bool(rested)

    def _verdict(self, rule: Rule, candidate: Candidate, values: Values) -> tuple[bool, Mask]:
        """Tell whether a rule refuses a layout, and what it read where it had to be run for that."""
        known = self._readings.find(rule.code, values)
        if known is not None:
            return known, 0
        self.runs += 1
        stages = self._stages(candidate, rule.stage)
        refuses = any(True for stage in stages for _ in rule.check(stage))
        reads = self._tracer.take()
        self._readings.keep(rule.code, values, reads, refuses=refuses)
        self._count(rule, refuses=refuses)
        mask: Mask = 0
        for read in reads:
            mask |= read.mask
        return refuses, mask

    def _count(self, rule: Rule, *, refuses: bool) -> None:
        if refuses:
            self._refusing.add(rule.code)
            del self._idle[rule.code]
        elif rule.code not in self._refusing:
            self._idle[rule.code] += 1

    def _file(self, rule: Rule, mask: Mask) -> None:
        if mask == ALL or not self._is_traced(rule):
            self.deferred.append(rule)
            return
        group = self._groups.setdefault(mask, _Group(mask, key_of(mask)))
        group.rules.append(rule)
        group.verdicts.clear()

    def _is_traced(self, rule: Rule) -> bool:
        traced = rule.stage in {Resolved, ResolvedPool} or issubclass(rule.stage, EngineView)
        return traced and rule.at(self._question.engine) != "memory"

    def _sort(self) -> None:
        """Order the groups so that those with few combinations refuse first."""
        self._open = None
        self._groups = {mask: group for mask, group in self._groups.items() if group.rules}
        groups = self._groups.values()
        shapes = [group for group in groups if not group.mask & OF_GPU]
        self._tiers = (
            _tier(group for group in shapes if not group.mask & OF_CHOICE),
            _tier(group for group in shapes if group.mask & OF_CHOICE),
            _tier(group for group in groups if group.mask & OF_GPU),
        )

    def _stages(self, candidate: Candidate, kind: type) -> tuple[Any, ...]:
        """Build and trace a stage of a layout; those of the last one are kept."""
        if self._layout is not candidate:
            self._layout, self._built = candidate, {}
            self._resolved = resolve(recipe_of(self._question, candidate))
            traced = self._tracer.resolved(self._resolved)
            self._built = {Resolved: (traced,), ResolvedPool: traced.pools}
        if issubclass(kind, EngineView) and EngineView not in self._built and self._resolved is not None:
            self._built[EngineView] = ()
            for view in stages_from(self._resolved, heads_only=True).views:
                self._built |= dict.fromkeys(type(view).__mro__, (self._tracer.view(view),))
        self._tracer.take()
        return self._built.get(kind, ())
