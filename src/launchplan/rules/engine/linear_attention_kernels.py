"""Kernels of linear attention that do not fit GPU, state or phase.

## Why

FlashKDA does prefill only; FlashInfer's decode kernel wants a bfloat16 state on Blackwell; buffered decoding
(ReplaySSM) has kernels, cache strategy and roles of its own.

## Fix

Leave the kernel out, or set what the message names.

## References

- SGLang 0.5.23 `arg_groups/attention_hook.py:281`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import Given, SglangSettings, mamba
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

DECODE = "linear_attn_decode_backend"
REPLAY, REPLAY_DRAFTS = "enable_linear_replayssm", "enable_linear_replayssm_spec"
RAGGED = "SGLANG_RAGGED_VERIFY_MODE"


@sglang_rule("ENG307", "linear-attention-kernels", source="attention_hook.py:281")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare kernels with GPU, state and phase."""
    given, held = view.given, view.after("mamba.linear_kernels")
    if view.arguments[DECODE] == "flashkda":
        message = "linear-attn-decode-backend flashkda does prefill only"
        yield refuse(view, DECODE, message, "use linear-attn-prefill-backend flashkda")
    if given is None:
        return
    before = view.after("moe.allreduce_fusion").mamba_ssm_dtype
    decode = held.linear_attn_decode_backend or held.linear_attn_backend
    verify = held.linear_attn_verify_backend or ("flashinfer" if decode == "flashinfer" else None)
    if given.major >= 10 and before != "bfloat16" and "flashinfer" in (decode, verify):
        name = DECODE if decode == "flashinfer" else "linear_attn_verify_backend"
        message = f"linear attention on flashinfer needs mamba-ssm-dtype bfloat16 on {view.gpu_id}"
        yield refuse(view, name, message, "add mamba-ssm-dtype bfloat16")
    if given[REPLAY]:
        yield from _problems(view, REPLAY, _replay(given, held, decode))
    if given[REPLAY_DRAFTS]:
        yield from _problems(view, REPLAY_DRAFTS, _replay_drafts(view, held, decode))


def _problems(view: SglangView, name: str, problem: str | None) -> Iterator[Violation]:
    if problem is not None:
        flag = name.replace("_", "-")
        yield refuse(view, name, f"{flag} {problem}", f"remove {flag}")


def _replay(given: Given, held: SglangSettings, decode: str) -> str | None:
    if decode not in {"triton", "helion"}:
        return f"needs linear-attn-decode-backend triton, not {decode}"
    if mamba.extra_buffer(held):
        return f"needs mamba-radix-cache-strategy no_buffer, not {held.mamba_radix_cache_strategy}"
    if held.disaggregation_mode != "null":
        return "does not go with disaggregation"
    length = given["linear_replayssm_cache_len"]
    return f"needs linear-replayssm-cache-len of 1 or more, not {length}" if length < 1 else None


def _replay_drafts(view: SglangView, held: SglangSettings, decode: str) -> str | None:
    if held.speculative_eagle_topk not in {None, 1}:
        return f"needs speculative-eagle-topk 1, not {held.speculative_eagle_topk}"
    if decode not in {"triton", "flashinfer"}:
        return f"needs linear-attn-decode-backend triton or flashinfer, not {decode}"
    mode, algorithm = view.env.get(RAGGED, "static"), (held.speculative_algorithm or "").upper()
    fits = algorithm in {"DSPARK", "DFLASH"} and held.linear_attn_verify_backend in {"triton", "nv_cutedsl"}
    if mode != "static" and not fits:
        return f"needs {RAGGED} static, not {mode}"
    if held.disaggregation_mode == "prefill":
        return "does nothing on a prefill server"
    return "does not go with enable-linear-replayssm" if view.arguments[REPLAY] else None
