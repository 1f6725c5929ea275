"""A kernel of Kimi Delta Attention that is made for another vendor's GPUs.

## Why

`flashkda` is for NVIDIA GPUs and `fused` for AMD ones. The name is checked for every model, also for one that
has no such layers.

## Fix

Leave `kda-prefill-backend` out.

## References

- vLLM 0.33.0 `vllm/engine/arg_utils.py:2872`, `:2876`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

VENDORS = {"flashkda": ("nvidia", 2872), "fused": ("amd", 2876)}


@vllm_rule("ENG227", "delta-kernel-vendor", source="engine/arg_utils.py:2872", about=("kda_prefill_backend",))
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the kernel with the GPU's vendor."""
    name = text(view, "kda_prefill_backend") or ""
    if view.gpu is None or name not in VENDORS:
        return
    vendor, line = VENDORS[name]
    if view.gpu.vendor != vendor:
        message = f"kda-prefill-backend {name} is not for {view.gpu.id}"
        yield refuse(
            view, "kda_prefill_backend", message, "leave it out", source=f"engine/arg_utils.py:{line}"
        )
