"""A flag for other hardware than there is.

## Why

`--device npu` loads Ascend's libraries, which are not there on other hosts. DeepSeek-V4's FP4 indexer has
kernels for compute capability 10.x and 12.x and for AMD's newest GPUs. Kernels of a whole layer are made for
one vendor.

## Fix

Leave the flag out.

## References

- SGLang 0.5.23 `arg_groups/platform_hook.py:38`, `arg_groups/serving_hook.py:458`,
  `kernel_plugins/amd/binding.py:216`, `kernel_plugins/nvidia/binding.py:376`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import BLACKWELL, capability_major, refuse, sglang_rule

INDEXER = "enable_deepseek_v4_fp4_indexer"
CLIENT_BLACKWELL = 12
AMD_WITH_FP4 = "gfx95"
KERNELS = {"enable_amd_monokernel": "amd", "enable_nvidia_megakernel": "nvidia"}


@sglang_rule("ENG381", "flag-needs-gpu", source="platform_hook.py:38")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare flags with the GPU."""
    given, gpu = view.arguments, view.gpu
    if gpu is None:
        return
    device = str(given["device"] or "").split(":")[0]
    if device == "npu" and gpu.vendor != "huawei":
        yield refuse(view, "device", f"device npu needs Ascend NPUs, not {gpu.id}", "leave device out")
    able = capability_major(view) in (BLACKWELL, CLIENT_BLACKWELL) or (gpu.gfx or "").startswith(AMD_WITH_FP4)
    if given[INDEXER] and not able:
        message = f"enable-deepseek-v4-fp4-indexer needs compute capability 10.x or 12.x, not {gpu.id}"
        yield refuse(view, INDEXER, message, "remove enable-deepseek-v4-fp4-indexer")
    for flag, vendor in KERNELS.items():
        if given[flag] and gpu.vendor != vendor:
            name = flag.replace("_", "-")
            yield refuse(view, flag, f"{name} is not for {gpu.id}", f"remove {name}")
