"""A draft algorithm on a kind of device that it does not run on.

## Why

The newer algorithms have kernels for GPUs (and Ascend NPUs) only; UNO for CUDA alone. `--device` says what
SGLang runs on, whatever the host has.

## Fix

Leave `device` out, or use EAGLE or NGRAM.

## References

- SGLang 0.5.23 `arg_groups/speculative_hook.py:183`, `:290`, `:452`, `:668`, `:1308`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, refuse, sglang_rule

DEVICES = {
    "DFLASH": ("cuda", "npu", "xpu"),
    "DSPARK": ("cuda", "npu", "xpu"),
    "UNO": ("cuda",),
    "NGRAM": ("cuda", "cpu", "xpu"),
}
"""Kinds of devices by algorithm; one that is not named runs on any."""
BLOCK = "speculative_use_block_verification"


@sglang_rule("SPC315", "draft-on-device", source="speculative_hook.py:668")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the algorithm with the device that was asked for."""
    algorithm, asked = algorithm_of(view), view.arguments["device"]
    if algorithm is None or asked is None:
        return
    device = asked.split(":")[0]
    if device not in DEVICES.get(algorithm, (device,)):
        message = f"speculative-algorithm {algorithm} does not run on device {device}"
        yield refuse(view, "speculative_algorithm", message, "leave device out")
    if view.arguments[BLOCK] and device != "cuda":
        message = f"speculative-use-block-verification does not run on device {device}"
        yield refuse(view, BLOCK, message, "remove speculative-use-block-verification")
