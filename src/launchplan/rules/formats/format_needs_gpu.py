"""The engine does not run this format on a GPU this old.

## Why

Each quantization method has a minimum compute capability; the engine compares it with the GPU before it
loads weights. The minimum is often lower than people think: vLLM 0.33.0 takes NVFP4 from 7.5 on and unpacks
it where the GPU has no 4-bit units, so "NVFP4 needs Blackwell" is a question of speed (QNT102), not of
starting.

## Fix

Take a checkpoint in another format, or a newer GPU.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:931`
- SGLang 0.5.23 `model_loader/loader.py:256-272`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.formats.names import MINIMUM, Capability, method_of
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.versions import reaches

READ = {"vllm": "0.33.0", "sglang": "0.5.23"}
"""Releases whose minimum was read; it moved before."""
LONG_STANDING = frozenset({"awq", "gptq"})
"""Methods whose minimum never moved (vllm-project/vllm issue 1488)."""


@rule(
    "QNT101",
    "format-needs-gpu",
    severity=ERROR,
    source={
        "vllm": "vllm/config/vllm.py:931 (0.33.0)",
        "sglang": "sglang/srt/model_loader/loader.py:259 (0.5.23)",
    },
    at={"vllm": "config", "sglang": "worker"},
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the method's minimum with the GPU's compute capability."""
    method, version = method_of(pool), pool.deployment.version
    if not reaches(version, READ[pool.deployment.engine]) and method not in LONG_STANDING:
        return
    least = MINIMUM[pool.deployment.engine].get(method or "")
    if pool.gpu is None or pool.gpu.capability is None or least is None or pool.gpu.capability >= least:
        return
    has, label = _text(pool.gpu.capability), pool.deployment.engine_label
    message = f"{method} needs compute capability {_text(least)} on {label}; {pool.gpu.id} has {has}"
    recipe = pool.deployment.recipe.value
    path = ("checkpoint",) if recipe.checkpoint else ("model",)
    yield Violation(message, path, "take a checkpoint in another format, or a newer GPU")


def _text(capability: Capability) -> str:
    return f"{capability[0]}.{capability[1]}"
