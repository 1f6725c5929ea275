"""Kernels that exchange tokens by themselves, with an exchange or a model that is not theirs.

## Why

The `flashinfer_moe_ep` backends run dispatch, experts and combine in one kernel: no all-to-all backend goes
with them. The one made with DeepGEMM serves DeepSeek-V4 only.

## Fix

Leave `all2all-backend` out; take another `moe-backend` for other models.

## References

- vLLM 0.33.0 `vllm/config/kernel.py:211`, `:238`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import mapping, text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule
from launchplan.rules.wording import cut

DEEP_GEMM = "flashinfer_moe_ep_mega_deep_gemm"
BACKENDS = frozenset({"flashinfer_moe_ep_cutedsl", DEEP_GEMM})
CLASSES = frozenset({"DeepSeekV4MTPModel", "DeepseekV41ForCausalLM", "DeepseekV4ForCausalLM"})
DEFAULT = "allgather_reducescatter"


@vllm_rule(
    "ENG225", "megakernel-exchange", source="config/kernel.py:211", about=("moe_backend", "kernel_config")
)
def check(view: VllmView) -> Iterator[Violation]:
    """Look at the exchange and the model of a kernel that does both."""
    given = text(view, "moe_backend")
    named = given if given not in {None, "auto"} else mapping(view, "kernel_config").get("moe_backend")
    name = named.lower().replace("-", "_") if isinstance(named, str) else None
    if name not in BACKENDS:
        return
    classes = view.architecture.architectures if view.architecture is not None else ()
    exchange = text(view, "all2all_backend")
    if name == DEEP_GEMM and classes and not CLASSES & {*classes}:
        message = f"moe-backend {name} is for DeepSeek-V4, not for {cut(classes[0])}"
        yield refuse(view, "moe_backend", message, "leave it out", source="config/kernel.py:238")
    elif exchange not in {None, DEFAULT, "naive", "pplx"}:
        message = f"moe-backend {name} exchanges tokens by itself, not over {exchange}"
        yield refuse(view, "all2all_backend", message, "leave all2all-backend out")
