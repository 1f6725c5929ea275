"""An attention backend that SGLang does not build for this model or GPU.

## Why

The workers build the backend that the flag names. Kernels of latent attention want a latent model, some
others want none; FlashAttention 3 runs on compute capability 8.x and 9.x, on 8.x without latent attention;
on Blackwell the layers beside Gated DeltaNet have a list of their own. The arguments pass, then the workers
stop.

## Fix

Leave the attention backend out, or name one that serves the model.

## References

- SGLang 0.5.23 `layers/attention/attention_registry.py:97`, `:121`, `:243`, `:280`, `:289`, `:296`, `:474`;
  `layers/attention/dsa_backend.py:528`; `layers/attention/flashinfer_mla_backend.py:853` (reads
  `kv_lora_rank`, which `configs/model_config.py:1370` sets for latent models only)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import Given
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sglang import AMPERE, HOPPER, algorithm_of, attention_flag, refuse

FIX = "leave attention backends out"
LATENT = frozenset({"trtllm_mla", "cutedsl_mla", "flashmla"})
HEADS = frozenset({"trtllm_mha", "hpc_ops"})
"""Backends that serve no latent attention."""
SPARSE = frozenset({"dsa", "nsa"})
DELTA_CLASSES = ("Qwen3Next", "Qwen3_5", "InternS2Preview", "JetNemotron", "JetVLM")
"""Beginnings of the classes with the configurations of `configs/hybrid_arch.py:55`."""
BESIDE_DELTA = frozenset({"triton", "trtllm_mha", "flashinfer"})
"""On Blackwell; data-centre ones take `fa4`, too (`attention_registry.py:34`, `:462`)."""


@rule(
    "ENG385",
    "attention-backend-builds",
    severity=ERROR,
    engines=("sglang",),
    since={"sglang": "0.5.23"},
    source={"sglang": "sglang/srt/layers/attention/attention_registry.py:97 (0.5.23)"},
    at="worker",
)
def check(view: SglangView) -> Iterator[Violation]:
    """Ask what is asked where the backends of prefill and decode are made, of those that somebody wrote."""
    given, held = view.given, view.settings
    if given is None or view.gpu is None or view.gpu.vendor != "nvidia":
        return
    for backend in dict.fromkeys((held.decode_backend, held.prefill_backend)):
        name = attention_flag(view, backend)
        lacks = _lacks(view, given, backend) if backend is not None and name is not None else None
        if lacks is not None and name is not None:
            yield refuse(view, name, f"attention backend {backend} {lacks}", FIX)
            return


def _lacks(view: SglangView, given: Given, backend: str) -> str | None:
    latent = given.model.is_mla
    if latent and given.model.architecture.dims.get("use_mla") is False:
        return None  # SGLang's list of classes does not say which of the two it is
    if backend in LATENT and not latent:
        return f"serves latent attention only, which {given.model.name} does not have"
    if backend in HEADS and latent:
        return f"does not serve the latent attention of {given.model.name}"
    if backend in SPARSE and not given.model.is_dsa:
        return f"serves DeepSeek's sparse attention only, which {given.model.name} does not have"
    if backend == "hpc_ops" and algorithm_of(view) not in {None, "NONE"}:
        return "takes no drafts"
    return _wrong_gpu(view, given, backend)


def _wrong_gpu(view: SglangView, given: Given, backend: str) -> str | None:
    has = f"{view.gpu_id} has {given.capability[0]}.{given.capability[1]}"
    if backend == "fa3" and given.model.is_mla and given.major != HOPPER:
        return f"needs compute capability 9.x for latent attention; {has}"
    if backend == "fa3" and given.major not in {AMPERE, HOPPER}:
        return f"needs compute capability 8.x or 9.x; {has}"
    beside = BESIDE_DELTA if given.sm120 else BESIDE_DELTA | {"fa4"}
    if given.blackwell and given.model.name.startswith(DELTA_CLASSES) and backend not in beside:
        return f"does not stand beside Gated DeltaNet on Blackwell: {' or '.join(sorted(beside))} does"
    return None
