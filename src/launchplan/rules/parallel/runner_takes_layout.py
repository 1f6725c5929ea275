"""A model runner that does not have what is asked of it.

## Why

vLLM 0.33.0 has two model runners. It takes the second one unless something needs the first, or
`VLLM_USE_V2_MODEL_RUNNER` decides. Prefill context parallelism, batch-sharded sampling and some drafts run
on the second only; suffix decoding, drafts with another vocabulary and (by default) micro-batches on the
first only.

## Fix

Remove `VLLM_USE_V2_MODEL_RUNNER`, or what the runner named does not have.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:3053`, `:3091`, `:3222`, `:3328`, `:3335`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import mapping, on, speculative
from launchplan.engines.vllm.settings.runner import ubatching, v2_gaps
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("PAR216", "runner-takes-layout", source="config/vllm.py:3328")
def check(view: VllmView) -> Iterator[Violation]:
    """List what the runner in use does not have."""
    settings = view.settings
    gaps = _second(view) if settings.v2_runner else tuple(_first(view))
    if gaps:
        name = "VLLM_USE_V2_MODEL_RUNNER"
        runner = "V2" if settings.v2_runner else "V1"
        message = f"model runner {runner} does not take {', '.join(gaps[:2])}"
        where = name if name in view.env else _flag_of(gaps[0])
        source = "config/vllm.py:3328" if settings.v2_runner else "config/vllm.py:3335"
        yield refuse(view, where, message, f"leave {name} out, or remove it", source=source)


def _flag_of(gap: str) -> str:
    return "prefill_context_parallel_size" if gap.startswith("prefill") else "speculative_config"


def _first(view: VllmView) -> Iterator[str]:
    sizes, spec = view.settings.parallel, view.settings.spec
    config = speculative(view) or {}
    if sizes.pcp > 1:
        yield "prefill context parallelism"
    if spec is not None and spec.method == "dspark":
        yield "dspark drafts"
    if config.get("enable_adaptive_verification"):
        yield "adaptive draft verification"
    if config.get("draft_lm_head_quantization") is not None:
        yield "a quantized draft head"
    if on(view, "enable_batch_sharded_sampling"):
        yield "batch-sharded sampling"


def _second(view: VllmView) -> tuple[str, ...]:
    gaps = list(v2_gaps(view, view.settings.parallel, view.settings.spec))
    if ubatching(view) and "micro-batches" not in gaps:
        gaps += (f"micro-batches with {text}" for broken, text in _with_micro_batches(view) if broken)
    return tuple(gaps)


def _with_micro_batches(view: VllmView) -> Iterator[tuple[bool, str]]:
    sizes, model = view.settings.parallel, view.settings.model
    yield on(view, "enable_lora"), "LoRA"
    yield view.settings.spec is not None, "speculative decoding"
    yield sizes.pp > 1, "pipeline stages"
    yield sizes.dcp > 1 or sizes.pcp > 1, "context parallelism"
    yield bool(model.multimodal), "a multimodal model"
    yield bool(model.hybrid), "a hybrid model"
    yield mapping(view, "compilation_config").get("cudagraph_mode") == "PIECEWISE", "piecewise CUDA graphs"
