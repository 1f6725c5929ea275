"""MTP on a model that vLLM can't draft with.

## Why

`mtp` drafts with extra layers that the checkpoint ships. vLLM refuses it for model types that it has no MTP
class for, and dies of a division by zero where the configuration counts no such layers (Kimi-K3: use its
DSpark draft). MiniMax-M2 declares three layers that vLLM has no class for.

## Fix

Leave `speculative` out, or take a method with a draft model: `eagle3`, `dspark`.

## References

- vLLM 0.33.0 `vllm/config/speculative.py:1499`, `:1606`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.architecture import Architecture
from launchplan.engines.view import EngineView
from launchplan.resolve import ResolvedPool
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.vllm import settled

UNDECLARED = frozenset({"mimo_v2", "qwen_next"})
"""Families that vLLM drafts with though their configurations may not count the layers."""
WITHOUT_CLASS = frozenset({"minimax_m2"})


@rule(
    "SPC102",
    "mtp-has-layers",
    severity=ERROR,
    engines=("vllm",),
    source="vllm/config/speculative.py:1499, 1606 (0.33.0)",
    at="config",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look for the layers that draft."""
    known = settled(view)
    if known is None:
        yield from _by_recipe(view.pool)
        return
    spec, model = known.settings.spec, known.settings.model
    if spec is None or not spec.own_layers or view.architecture is None or not view.architecture.known:
        return
    where = view.pool.path("speculative", "method")
    path = where if view.pool.speculative else view.path("speculative_config")
    if spec.layers == 0:
        yield Violation("method mtp, but the model has no MTP layers", path, _cure(view.pool))
    elif spec.architecture is None:
        kind = model.text_model_type or model.model_type
        yield Violation(f"method mtp: vllm has no MTP class for {kind}", path, _cure(view.pool))


def _by_recipe(pool: ResolvedPool) -> Iterator[Violation]:
    wanted, model = pool.speculative, pool.architecture
    if (
        wanted is None
        or wanted.method != "mtp"
        or wanted.model is not None
        or model is None
        or not model.known
    ):
        return
    problem = _problem(model)
    if problem is not None:
        yield Violation(problem, pool.path("speculative", "method"), _cure(pool))


def _problem(model: Architecture) -> str | None:
    if model.family in WITHOUT_CLASS:
        return f"method mtp: vllm has no MTP class for {model.text_model_type or model.model_type}"
    if model.mtp_layers == 0 or (model.mtp_layers is None and model.family not in UNDECLARED):
        return "method mtp, but the model has no MTP layers"
    return None


def _cure(pool: ResolvedPool) -> str:
    known = pool.deployment.model.speculative if pool.deployment.model else ()
    other = next((each for each in known if each.method != "mtp" and each.model), None)
    if other is not None:
        return f"use method {other.method} with model {other.model}, or leave speculative out"
    return "leave speculative out, or use a draft model (eagle3)"
