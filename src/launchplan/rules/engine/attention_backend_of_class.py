"""An attention backend that a model class does not take.

## Why

Sliding windows, learned sinks, chunked attention and cross attention are not in every backend; model
classes of SGLang name those that serve them and refuse the others.

## Fix

Leave the attention backend out, or use one that the message names.

## References

- SGLang 0.5.23 `arg_groups/model_hook.py:523`, `:615`, `:636`, `:668`, `:682`, `:716`;
  `arg_groups/model_overrides/{iquest_q1,moss_vl}.py`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.engines.sglang.settings import classes
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import attention_flag, first_class, refuse, sglang_rule
from launchplan.units import choice_text


@dataclass(frozen=True, slots=True)
class Takes:
    """The backends of a class."""

    backends: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    split: bool = False
    """Prefill and decode backends are compared, not only the one for both."""


_GPT_OSS = ("triton", "trtllm_mha", "fa3", "fa4", "ascend", "intel_amx", "intel_xpu", "aiter")
_LLAMA4 = ("fa3", "aiter", "triton", "ascend", "trtllm_mha", "intel_xpu")
_GEMMA4 = ("trtllm_mha", "triton", "fa4", "ascend", "intel_xpu", "intel_amx", "aiter")
TAKES = {
    "GptOssForCausalLM": Takes(_GPT_OSS, split=True),
    **dict.fromkeys(classes.LLAMA4, Takes(_LLAMA4)),
    **dict.fromkeys(classes.GEMMA4, Takes(_GEMMA4, split=True)),
    **dict.fromkeys(classes.EXAONE, Takes(("fa3", "triton", "trtllm_mha"))),
    "Olmo2ForCausalLM": Takes(never=("flashinfer",)),
    **dict.fromkeys(classes.LFM2, Takes(never=("triton",))),
    **dict.fromkeys(classes.IQUEST, Takes(("fa3",), split=True)),
}
"""By class."""
MOSS = "MossVLForConditionalGeneration"


@sglang_rule("ENG302", "attention-backend-of-class", source="model_hook.py:536")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the backends after the class's own defaults with what it takes."""
    held, name = view.after("models.late"), first_class(view)
    takes = TAKES.get(name or "")
    if view.given is None or name is None:
        return
    if name == MOSS and held.prefill_backend != "flashinfer":
        message = f"{name} needs prefill backend flashinfer, not {held.prefill_backend}"
        yield refuse(view, "attention_backend", message, "leave attention-backend out")
    if takes is None or (name in classes.EXAONE and not _slides(view)):
        return
    chosen = (held.prefill_backend, held.decode_backend) if takes.split else (held.attention_backend,)
    wrong = next((each for each in chosen if each in takes.never or _unknown(each, takes)), None)
    if wrong is not None:
        known = f"use {choice_text(takes.backends[:3])}" if takes.backends else "leave attention-backend out"
        flag = attention_flag(view, wrong) or "attention_backend"
        yield refuse(view, flag, f"{name} does not take attention backend {wrong}", known)


def _unknown(backend: str | None, takes: Takes) -> bool:
    return bool(takes.backends) and backend is not None and backend not in takes.backends


def _slides(view: SglangView) -> bool:
    model = view.architecture
    return model is not None and model.dims.get("sliding_window_pattern") is not None
