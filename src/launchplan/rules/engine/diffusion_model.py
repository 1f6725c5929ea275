"""A diffusion algorithm on a model that is no diffusion language model.

## Why

`--dllm-algorithm` runs block diffusion. SGLang knows the block of four model classes, fails for every other,
and holds one of them to its own algorithm.

## Fix

Remove `dllm-algorithm`.

## References

- SGLang 0.5.23 `arg_groups/overrides.py:1676`, `dllm/config.py:53`-`:90`, `dllm/algorithm/`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import first_class, refuse, sglang_rule
from launchplan.rules.wording import shown
from launchplan.units import choice_text

NAME = "dllm_algorithm"
ALGORITHMS = ("LowConfidence", "JointThreshold", "JointThresholdInDel", "Gemma4Renoise")
OWN = "Gemma4Renoise"
CLASSES: dict[str, str | None] = {
    "LLaDA2MoeModelLM": None,
    "SDARForCausalLM": None,
    "SDARMoeForCausalLM": None,
    "DiffusionGemmaForBlockDiffusion": OWN,
}
"""Classes that diffuse, with the algorithm that one of them is held to (and no other takes)."""


@sglang_rule("ENG366", "diffusion-model", source="overrides.py:1676")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the algorithm with the model class."""
    algorithm, kind = view.arguments[NAME], first_class(view)
    if algorithm is None:
        return
    if algorithm not in ALGORITHMS:
        message = f"dllm-algorithm {shown(algorithm)} does not exist"
        yield refuse(view, NAME, message, f"use {choice_text(ALGORITHMS)}")
    if kind is not None and kind not in CLASSES:
        message = f"dllm-algorithm needs a diffusion model, {kind} is none"
        yield refuse(view, NAME, message, "remove dllm-algorithm")
    elif kind is not None and algorithm in ALGORITHMS and (algorithm == OWN) != (CLASSES[kind] == OWN):
        fitting = CLASSES[kind] or choice_text(name for name in ALGORITHMS if name != OWN)
        yield refuse(view, NAME, f"dllm-algorithm {algorithm} does not work for {kind}", f"use {fitting}")
