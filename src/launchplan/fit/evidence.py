"""Who has run a model where: shipped recipes with published evidence, and what the catalog's sources say."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from launchplan.catalog import ModelEntry
from launchplan.catalog.models import Speculative
from launchplan.errors import InputError
from launchplan.fit.candidate import Candidate, Question
from launchplan.fit.judge import Judged, judged_plan
from launchplan.fit.workload import workload_data
from launchplan.pipeline import plan_from
from launchplan.recipe import load_recipe
from launchplan.recipe.schema import Evidence
from launchplan.resolve import Resolved, resolve
from launchplan.resources import recipes_dir

RUN = frozenset({"verified", "documented"})
"""What a recipe's evidence says when somebody has run it."""
_SAID = frozenset({"verified", "supported"})


@dataclass(frozen=True, slots=True)
class Run:
    """A shipped recipe that somebody has run, with the workload that is asked for."""

    name: str
    """What `launchplan check` calls the recipe."""
    evidence: Evidence
    resolved: Resolved
    candidate: Candidate

    def judged(self) -> Judged:
        """Check the recipe, and compute what it holds."""
        return judged_plan(question_of(self.resolved), self.candidate, plan_from(self.resolved))


def published(question: Question) -> tuple[Run, ...]:
    """Find the shipped recipes of a model and engine with evidence of a run, the fewest GPUs first.

    Those with prefill and decode apart are left out: their machines are not those of one layout.
    """
    entry = question.entry
    if entry is None:
        return ()
    names = {entry.id, *entry.aliases, *(each.id for each in entry.checkpoints)}
    found: list[Run] = []
    for path in sorted(recipes_dir().rglob("*.yaml")):
        if any(name in path.read_text(encoding="utf-8") for name in names):
            each = _published(question, path)
            found += [each] if each is not None else []
    return tuple(sorted(found, key=lambda each: (each.candidate.gpus, each.name)))


def _published(question: Question, path: Path) -> Run | None:
    asked = workload_data(question.workload)
    try:
        recipe = load_recipe(path, [f"workload={json.dumps(asked)}"] if asked else [])
        if recipe.value.engine.name != question.engine:
            return None  # before the facts of another engine are read, which takes time
        resolved = resolve(recipe)
    except InputError:
        return None  # `launchplan check` says what is wrong with it
    deployment = resolved.deployment
    evidence = deployment.evidence
    if evidence is None or evidence.status not in RUN or deployment.recipe.value.pools is not None:
        return None
    if deployment.model is not question.entry:
        return None
    candidate = layout_of(resolved)
    return Run(path.stem, evidence, resolved, candidate) if candidate is not None else None


def question_of(resolved: Resolved) -> Question:
    """Give what a recipe asks for besides its layout."""
    deployment = resolved.deployment
    return Question(
        model=deployment.model_source.name,
        checkpoint=deployment.checkpoint,
        engine=deployment.engine,
        version=deployment.version,
        window=resolved.pools[0].serve.max_model_len,
        workload=deployment.recipe.value.workload,
        entry=deployment.model,
        window_fixed=True,
    )


def layout_of(resolved: Resolved) -> Candidate | None:
    """Give the layout of a recipe with one pool; None where its GPU or the GPUs of a host are not known."""
    pool = resolved.pools[0]
    if pool.gpu is None or pool.gpus_per_node is None:
        return None
    wanted, sizes = pool.speculative, pool.parallel
    draft = None
    if wanted is not None:
        options = dict(wanted.options)
        draft = Speculative(
            method=wanted.method, tokens=wanted.tokens or 1, model=wanted.model, options=options,
            source="the recipe",
        )  # fmt: skip
    return Candidate(
        pool.gpu, pool.nodes, pool.gpus_per_node, sizes.tp, sizes.pp, sizes.dp, sizes.ep, sizes.dcp,
        pool.serve.kv_cache_dtype, draft,
    )  # fmt: skip


def evidenced_gpus(entry: ModelEntry | None, runs: tuple[Run, ...]) -> frozenset[str]:
    """List the GPUs on which somebody has run the model, or a source says that it runs."""
    said = {mark.gpu for mark in entry.hardware if mark.status in _SAID} if entry else set()
    return frozenset(said | {run.candidate.gpu.id for run in runs})
