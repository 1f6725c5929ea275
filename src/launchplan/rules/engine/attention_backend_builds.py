"""An attention backend that SGLang does not build for this model or GPU.

## Why

The workers build the backend that the flag names. Kernels of latent attention want a latent model, some
others want none; FlashAttention 3 runs on compute capability 8.x and 9.x, on 8.x without latent attention;
on Blackwell the layers beside Gated DeltaNet have a list of their own. Ascend's and Intel's backends,
AITER's and FlashInfer's need their vendor's GPU. The arguments pass, then the workers stop.

## Fix

Leave the attention backend out, or name one that serves the model.

## References

- SGLang 0.5.23 `layers/attention/attention_registry.py:97`, `:121`, `:243`, `:280`, `:289`, `:296`, `:474`;
  `layers/attention/dsa_backend.py:528`; `layers/attention/flashinfer_mla_backend.py:853` (reads
  `kv_lora_rank`, which `configs/model_config.py:1370` sets for latent models only);
  `hardware_backend/npu/attention/ascend_backend.py:7`; `layers/attention/aiter_backend.py:47` and
  `layers/attention/intel_amx_backend.py:20` (what they call is not there, and is missed in the first batch);
  `layers/attention/flashinfer_backend.py:77` with `utils/common.py:395`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from launchplan.engines.sglang.settings import Given
from launchplan.engines.sglang.settings.attention import ALIASES
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
OWNERS = {"aiter": "amd", "wave": "amd", "ascend": "huawei", "intel_amx": "intel", "intel_xpu": "intel"}
"""Backends of a vendor, which the parser offers everywhere."""
LATE = frozenset({"aiter", "intel_amx"})
"""Those that are made on other GPUs, too, and end in the first batch."""
NVIDIA_ONLY = frozenset({"flashinfer", "trtllm_mha", "trtllm_mla", "cutedsl_mla", "flashmla"})
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
    if view.gpu is None:
        return
    stranger = next((each for each in _backends(view) if _stranger(each, view.gpu.vendor)), None)
    if stranger is not None:
        message = f"attention backend {stranger} is not for {view.gpu.id}"
        found = refuse(view, attention_flag(view, stranger) or "attention_backend", message, FIX)
        yield replace(found, at="run") if stranger in LATE else found
    if stranger is not None or given is None or view.gpu.vendor != "nvidia":
        return
    for backend in dict.fromkeys((held.decode_backend, held.prefill_backend)):
        name = attention_flag(view, backend)
        lacks = _lacks(view, given, backend) if backend is not None and name is not None else None
        if lacks is not None and name is not None:
            yield refuse(view, name, f"attention backend {backend} {lacks}", FIX)
            return


def _backends(view: SglangView) -> tuple[str, ...]:
    """Give the backends that somebody wrote and that are still used."""
    held = view.settings
    used: tuple[str | None, ...] = (held.decode_backend, held.prefill_backend)
    if view.given is None:  # nobody resolves anything for this GPU: what is written counts
        names = ("attention_backend", "prefill_attention_backend", "decode_attention_backend")
        written = [view.arguments[name] for name in names]
        used = tuple(ALIASES.get(each, each) for each in written if isinstance(each, str))
    found = dict.fromkeys(used)
    return tuple(each for each in found if each is not None and attention_flag(view, each) is not None)


def _stranger(backend: str, vendor: str) -> bool:
    owner = OWNERS.get(backend, vendor)
    return vendor in {"nvidia", "amd"} and (owner != vendor or (vendor == "amd" and backend in NVIDIA_ONLY))


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
