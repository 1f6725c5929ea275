"""The MoE backend asked for does not run these experts on this GPU.

## Why

Each kernel for experts is made for some weight formats and some GPUs. vLLM's parser takes any known name
of `--moe-backend`; the workers refuse one that has no kernel for the checkpoint's experts on the GPU they
find. On a model without experts the flag does nothing.

## Fix

Leave the flag out, or name one of the backends that run here.

## References

- vLLM 0.33.0 `vllm/model_executor/layers/fused_moe/oracle/fp8.py:452`, `:475`, `mxfp4.py:396`, `:611`,
  `nvfp4.py:185`, `unquantized.py:196`;
  `vllm/model_executor/layers/fused_moe/experts/flashinfer_cutlass_moe.py:128`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.engines.vllm.experts import Format, asked_backend, expert_format, runs_on, usable
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.units import choice_text

PLACE = "vllm/model_executor/layers/fused_moe"
CUDA = "experts/flashinfer_cutlass_moe.py:128"
NVIDIA_ONLY = frozenset({"b12x", "humming", "deep_gemm", "deep_gemm_mega_moe"})
"""Beside FlashInfer's: `b12x.py:499`, `experts/fused_humming_moe.py:403`, `vllm/utils/deep_gemm.py`."""


@rule(
    "ENG403",
    "moe-backend-runs",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.33.0"},
    source="vllm/model_executor/layers/fused_moe/oracle (0.33.0)",
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look the backend up among those for the format of the experts."""
    name, model, gpu = asked_backend(view), view.architecture, view.gpu
    form = expert_format(model) if model is not None else None
    if name is None or form is None or gpu is None:
        return
    if gpu.vendor == "amd" and (name.startswith("flashinfer") or name in NVIDIA_ONLY):
        message, source = (
            f"moe backend {name} is for NVIDIA GPUs, not for {gpu.id}",
            f"{PLACE}/{CUDA} (0.33.0)",
        )
        yield Violation(message, view.path("moe_backend"), "leave it out", source)
    if gpu.capability is None:
        return
    gpus = form.backends.get(name, ())
    if gpus is None or runs_on(gpus, gpu.capability):
        return
    source = f"{PLACE}/{form.source} (0.33.0)"
    where = f"on {gpu.id}" if gpus else "on any NVIDIA GPU"
    message = f"moe backend {name} does not run {form.name} experts {where}"
    yield Violation(message, view.path("moe_backend"), _cure(form, gpu.capability), source)


def _cure(form: Format, capability: tuple[int, int]) -> str:
    return f"leave it out, or use {choice_text(usable(form, capability))}"
