"""A KV cache format that the attention backend does not read.

## Why

TensorRT-LLM's and CuteDSL's latent attention read 16-bit and `fp8_e4m3` caches; on workstation Blackwells
TensorRT-LLM's prefill reads 16-bit ones only. TensorRT-LLM's latent attention knows `bf16` by that name
alone.

## Fix

Use `fp8_e4m3` or `bf16`, or another attention backend.

## References

- SGLang 0.5.23 `arg_groups/overrides.py:1215`, `:1254`; `arg_groups/attention_hook.py:207`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

LATENT = {
    "trtllm_mla": ("fp8_e4m3", "bf16", "auto"),
    "cutedsl_mla": ("fp8_e4m3", "bf16", "bfloat16", "auto"),
}
SKIP = "SGLANG_SKIP_SOFTMAX_PREFILL_THRESHOLD_SCALE_FACTOR"


@sglang_rule("QNT303", "kv-dtype-of-backend", source="overrides.py:1215")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the format with the backends that were settled."""
    given, held = view.given, view.after("attention.backends")
    if given is None:
        return
    name = held.kv_cache_dtype
    for backend, formats in LATENT.items():
        if backend in (held.attention_backend, held.decode_attention_backend) and name not in formats:
            message = f"kv-cache-dtype {name} is not read by attention backend {backend}"
            yield refuse(view, "kv_cache_dtype", message, "use fp8_e4m3 or bf16")
    if given.sm120 and held.prefill_backend == "trtllm_mha":
        if name == "fp8_e4m3":
            message = f"kv-cache-dtype fp8_e4m3 is not read by prefill backend trtllm_mha on {view.gpu_id}"
            yield refuse(view, "kv_cache_dtype", message, "use prefill-attention-backend flashinfer")
        elif _positive(view.env.get(SKIP, "")):
            yield refuse(view, SKIP, f"{SKIP} does nothing on {view.gpu_id}", f"unset {SKIP}")


def _positive(text: str) -> bool:
    try:
        return float(text) > 0
    except ValueError:
        return False
