"""A transport of image features that does not reach.

## Why

`cuda_ipc` hands features over inside one host; `cuda_vmm` to one pipeline stage.

## Fix

Use `mm-feature-transport: cpu`, or leave it out.

## References

- SGLang 0.5.23 `arg_groups/serving_hook.py:884`-`:920`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

NAME = "mm_feature_transport"
LEGACY = "SGLANG_USE_CUDA_IPC_TRANSPORT"


@sglang_rule("ENG373", "media-transport", source="serving_hook.py:884")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the transport with how far it must reach."""
    given = view.arguments
    transport = given[NAME] or ("cuda_ipc" if view.env_on(LEGACY) else None)
    if transport not in ("cuda_ipc", "cuda_vmm") or given["encoder_only"]:
        return
    name = NAME if given[NAME] else LEGACY
    if transport == "cuda_vmm" and view.gpu is not None and view.gpu.vendor != "nvidia":
        yield refuse(view, name, f"mm-feature-transport cuda_vmm is for NVIDIA, not {view.gpu.id}", "use cpu")
    if transport == "cuda_vmm" and given["pp_size"] != 1:
        message = f"mm-feature-transport cuda_vmm needs pp 1, not {given['pp_size']}"
        yield refuse(view, name, message, "use mm-feature-transport cpu")
    if transport == "cuda_ipc" and given["nnodes"] != 1:
        message = f"mm-feature-transport cuda_ipc ends at the host, nnodes is {given['nnodes']}"
        yield refuse(view, name, message, "use mm-feature-transport cpu")
