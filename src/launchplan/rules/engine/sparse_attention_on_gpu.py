"""TensorRT-LLM's kernels of sparse attention on a GPU that they are not for.

## Why

The DSA backend `trtllm` calls FlashInfer's TensorRT-LLM kernels by name, and their runner stops on any GPU
but data-centre Blackwell. The launch loads the weights, and dies where the first batch of decode is recorded.

## Fix

Use another `--dsa-decode-backend` (and `--dsa-prefill-backend`); leave decode context parallelism out, which
takes these kernels. GLM with an FP8 KV cache on workstation Blackwell gets `flashinfer_sparse_mla` by itself.

## References

- SGLang 0.5.23 `srt/layers/attention/dsa_backend.py:3982`, `srt/arg_groups/overrides.py:711`
- FlashInfer 0.7.2 `include/flashinfer/trtllm/fmha/fmhaRunner.cuh:37`
- sgl-project/sglang issue 40558, pull requests 29580, 31821 (decode context parallelism takes these kernels
  only) and 36507
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import classes
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sglang import refuse

KERNELS = "trtllm"
OTHER_PHASE = {"dsa_prefill_backend": "decode", "dsa_decode_backend": "prefill"}
"""The flags of the two phases, and the role that runs the other phase alone."""


@rule(
    "ENG382",
    "sparse-attention-on-gpu",
    severity=ERROR,
    engines=("sglang",),
    since={"sglang": "0.5.23"},
    source={"sglang": "sglang/srt/layers/attention/dsa_backend.py:3982 (0.5.23)"},
)
def check(view: SglangView) -> Iterator[Violation]:
    """Look for the kernels where the runner stops."""
    given, held = view.given, view.after("models.late")
    if given is None or not given.model.is_dsa or given.model.name not in classes.DEEPSEEK or given.sm100:
        return
    if view.gpu is None or view.gpu.vendor != "nvidia":
        return
    chosen = {name: getattr(held, name) for name in OTHER_PHASE}
    wrong = [
        name
        for name, backend in chosen.items()
        if backend == KERNELS and held.disaggregation_mode != OTHER_PHASE[name]
    ]
    if wrong:
        major, minor = given.capability
        message = f"{wrong[-1].replace('_', '-')} {KERNELS} has no kernels for {major}.{minor}"
        fix = "leave dcp out" if held.dcp_size > 1 else "use another DSA backend"
        yield refuse(view, wrong[-1], message, fix)
