"""NVFP4 experts with 16-bit activations on a kernel that does not run them.

## Why

Some ModelOpt checkpoints store experts in NVFP4 and leave their activations in 16 bits. Marlin runs them
without an all-to-all backend; for Qwen3 CuteDSL does too, when an environment variable allows it.
Nemotron-H looks for the formats of its layers in `config.json` alone.

## Fix

Leave `--moe-runner-backend` and `--moe-a2a-backend` out.

## References

- SGLang 0.5.23 `arg_groups/model_overrides/nemotron_h.py:69`, `:83`;
  `arg_groups/model_overrides/qwen3_moe.py:60`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import Given, SglangSettings, classes
from launchplan.engines.sglang.settings.moe import W4A16
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

RUNNER = "moe_runner_backend"


@sglang_rule("QNT306", "w4a16-experts-runner", source="model_overrides/nemotron_h.py:83")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the chosen kernel with those that run such experts."""
    given, held = view.given, view.after("memory.budget")
    if given is None:
        return
    stored, nemotron = given.model.architecture.quantization, given.model.name in classes.NEMOTRON_H
    mixed = (held.quantization or given.model.method) == "modelopt_mixed"
    if nemotron and mixed and stored.separate_file:
        message = f"{given.model.name} needs quantization_config in config.json, not in hf_quant_config.json"
        yield Violation(message, ("model",), "copy quantization_config into config.json")
    elif mixed and stored.w4a16_experts:
        problem = _nemotron(held) if nemotron else _qwen(given, held)
        if problem is not None:
            yield refuse(view, *problem)


def _nemotron(held: SglangSettings) -> tuple[str, str, str] | None:
    if held.moe_a2a_backend != "none":
        message = f"NVFP4 experts with 16-bit activations do not take moe-a2a-backend {held.moe_a2a_backend}"
        return "moe_a2a_backend", message, "leave moe-a2a-backend out"
    return None if held.moe_runner_backend in {"auto", "marlin"} else _wrong(held)


def _qwen(given: Given, held: SglangSettings) -> tuple[str, str, str] | None:
    if given.model.name not in classes.QWEN_MOE or not given.sm100:
        return None
    exchange = held.moe_a2a_backend in {"none", "flashinfer"} and given.switched_on(W4A16)
    fits = held.moe_runner_backend == "flashinfer_cutedsl" and exchange
    return None if fits or held.moe_runner_backend in {"auto", "marlin"} else _wrong(held)


def _wrong(held: SglangSettings) -> tuple[str, str, str]:
    message = (
        f"NVFP4 experts with 16-bit activations do not take moe-runner-backend {held.moe_runner_backend}"
    )
    return RUNNER, message, "leave moe-runner-backend out"
