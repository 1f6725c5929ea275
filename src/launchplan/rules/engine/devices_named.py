"""A list of devices that names one twice, in two ways, or that does not exist.

## Why

`--device-ids` picks GPUs by number or by UUID, each once. Where `CUDA_VISIBLE_DEVICES` is set, numbers
count within it.

## Fix

Name each device once, all by number or all by UUID.

## References

- vLLM 0.33.0 `vllm/engine/arg_utils.py:2141-2180`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("ENG214", "devices-named", source="engine/arg_utils.py:2141")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at the devices."""
    given = view.arguments["device_ids"]
    text = given if isinstance(given, str) else ""
    ids = [part.strip() for part in text.split(",") if part.strip()]
    numbers = [int(part) for part in ids if part.isdecimal()]
    visible = [part for part in view.env.get("CUDA_VISIBLE_DEVICES", "").split(",") if part.strip()]
    if len({*ids}) != len(ids):
        yield refuse(view, "device_ids", "device-ids names a device twice", "name each once")
    elif numbers and len(numbers) != len(ids):
        yield refuse(view, "device_ids", "device-ids mixes numbers and UUIDs", "use one kind")
    elif visible and numbers and max(numbers) >= len(visible):
        message = f"device-ids names device {max(numbers)}, CUDA_VISIBLE_DEVICES has {len(visible)}"
        yield refuse(view, "device_ids", message, f"count from 0 to {len(visible) - 1}")
