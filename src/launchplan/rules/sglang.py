"""What the rules share that SGLang enforces on its own command line."""

from __future__ import annotations

from collections.abc import Callable
from posixpath import normpath

from launchplan.engines.sglang.settings.attention import ALIASES
from launchplan.engines.sglang.view import SglangView
from launchplan.finding import Severity
from launchplan.rules.rule import ERROR, Check, Enforced, Rule, Violation, rule

SINCE = "0.5.23"
"""The release whose source these rules were read in; nothing is said of older ones."""
AMPERE, HOPPER, BLACKWELL = 8, 9, 10
"""Compute capability majors."""


def sglang_rule(
    code: str,
    name: str,
    *,
    source: str,
    at: Enforced = "config",
    severity: Severity = ERROR,
    since: str | None = SINCE,
) -> Callable[[Check], Rule]:
    """Make a rule of SGLang alone; `source` is a place under `sglang/srt/arg_groups/`.

    `since` None speaks of every release: what a public report of an older one tells.
    """
    return rule(
        code,
        name,
        severity=severity,
        engines=("sglang",),
        since={"sglang": since} if since else None,
        source={"sglang": f"{normpath(f'sglang/srt/arg_groups/{source}')} ({SINCE})"},
        at=at,
    )


def refuse(view: SglangView, name: str, message: str, fix: str | None = None) -> Violation:
    """Make a violation that stands at a flag, or at an environment variable (in capitals)."""
    return Violation(message, ("env", name) if name.isupper() else view.path(name), fix)


def first_class(view: SglangView) -> str | None:
    """Give the model class that SGLang decides by: the first of `architectures`."""
    model = view.architecture
    return model.architectures[0] if model is not None and model.architectures else None


def attention_flag(view: SglangView, backend: str | None) -> str | None:
    """Name the flag that was written with an attention backend; None where nobody wrote it.

    Deprecated names count as what they stand for (`serving_hook.py:284`).
    """
    names = ("attention_backend", "prefill_attention_backend", "decode_attention_backend")
    written = ((name, view.arguments[name]) for name in names)
    return next((name for name, value in written if value and ALIASES.get(value, value) == backend), None)


def capability_major(view: SglangView) -> int | None:
    """Give the major compute capability; None for other vendors' GPUs and unknown ones."""
    capability = view.gpu.capability if view.gpu else None
    return capability[0] if capability else None


def env_number(view: SglangView, name: str, default: int) -> int:
    """Read a whole number from the environment; SGLang falls back to the default for anything else."""
    try:
        return int(view.env.get(name, ""))
    except ValueError:
        return default


def expert_parallel_asked(view: SglangView) -> int:
    """Give the expert parallel size before an all-to-all backend widens it (`parallel_hook.py:488`)."""
    weight_parallel = view.arguments["dwdp_size"] or 1
    return int(weight_parallel if weight_parallel > 1 else view.arguments["ep_size"])


def joins_attention_dp(view: SglangView) -> bool:
    """Tell whether attention is data parallel (`runtime_context.py:191`)."""
    return view.settings.attn_dp_size > 1 or view.arguments["ep_join_mode"] == "scale"


def prefill_tokens(view: SglangView) -> int:
    """Give the most tokens of one prefill (`overrides.py:1865`); 0 when it is not chunked."""
    held = view.settings
    chunk = max(held.chunked_prefill_size or 0, 0)
    if view.arguments["enable_dynamic_chunking"] and held.pp_size > 1 and chunk:
        # A probe of 1.25 chunks, rounded up.
        return max(chunk, held.max_prefill_tokens or 0, -(-chunk * 5 // 4))
    return chunk


def hybrid_nvfp4(view: SglangView) -> bool:
    """Tell whether an FP8 checkpoint stores its experts in NVFP4 (`configs/model_config.py:779`)."""
    quantization = view.architecture.quantization if view.architecture else None
    if quantization is None or quantization.quant_algo is None or quantization.group_size is None:
        return False
    mixed = quantization.quant_algo.upper() == "MIXED_PRECISION"
    return mixed and quantization.quant_method == "fp8" and "nvfp4" in quantization.formats


def fp4_experts(view: SglangView) -> bool:
    """Tell whether an FP8 checkpoint stores its experts in MXFP4 (`configs/model_config.py:731`)."""
    quantization = view.architecture.quantization if view.architecture else None
    return quantization is not None and quantization.quant_method == "fp8" and "mxfp4" in quantization.formats


def algorithm_of(view: SglangView) -> str | None:
    """Give the speculative algorithm as SGLang names it, also of a model that nobody knows."""
    asked = view.settings.speculative_algorithm
    if asked is None or view.arguments["enable_return_aux_hidden_states"]:
        return None
    return "EAGLE" if asked.upper() == "NEXTN" else asked.upper()
