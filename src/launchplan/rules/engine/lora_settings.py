"""LoRA settings that do not agree.

## Why

SGLang allots LoRA buffers at start: it must know adapters, or their largest rank and target modules, and the
counts must hold together.

## Fix

Change the value that the message names.

## References

- SGLang 0.5.23 `arg_groups/lora_hook.py:21`-`:178`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

LEAST_CHUNK, MOST_CHUNK = 16, 128
BATCH, LOADED = "max_loras_per_batch", "max_loaded_loras"


@sglang_rule("ENG362", "lora-settings", source="lora_hook.py:152")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the LoRA settings with each other."""
    given = view.arguments
    if given[BATCH] <= 0:
        message = f"max-loras-per-batch is {given[BATCH]}, 1 is the least"
        yield refuse(view, BATCH, message, "use max-loras-per-batch 8")
    if not lora_on(view) or given["dllm_algorithm"] is not None:
        return
    modules, chunk = given["lora_target_modules"] or (), given["max_lora_chunk_size"]
    if not given["lora_paths"] and not (given["max_lora_rank"] and modules):
        message = "enable-lora without lora-paths needs max-lora-rank and lora-target-modules"
        yield refuse(view, "enable_lora", message, "add both, or lora-paths")
    if "all" in modules and len(set(modules)) > 1:
        message = "lora-target-modules names modules beside 'all'"
        yield refuse(view, "lora_target_modules", message, "keep 'all' alone")
    if chunk is not None and not (LEAST_CHUNK <= chunk <= MOST_CHUNK and chunk & (chunk - 1) == 0):
        message = f"max-lora-chunk-size is {chunk}, 16, 32, 64 and 128 work"
        yield refuse(view, "max_lora_chunk_size", message, "use max-lora-chunk-size 16")
    if given["lora_drain_wait_threshold"] < 0:
        message = f"lora-drain-wait-threshold is {given['lora_drain_wait_threshold']}, 0 is the least"
        yield refuse(view, "lora_drain_wait_threshold", message, "use 0")
    yield from _loaded(view)


def lora_on(view: SglangView) -> bool:
    """Tell whether LoRA is on; adapters switch it on unless that was refused (`lora_hook.py:44`)."""
    asked = view.arguments["enable_lora"]
    return bool(asked) or (asked is None and bool(view.arguments["lora_paths"]))


def _loaded(view: SglangView) -> Iterator[Violation]:
    given = view.arguments
    batch, loaded, paths = given[BATCH], given[LOADED], given["lora_paths"] or ()
    if given["enable_lora_overlap_loading"] and (loaded is None or loaded > 2 * batch):
        message = f"enable-lora-overlap-loading needs max-loaded-loras up to {2 * batch}, not {loaded}"
        yield refuse(view, LOADED, message, f"use max-loaded-loras {2 * batch}")
    if loaded is not None and loaded < batch:
        message = f"max-loaded-loras {loaded} is below max-loras-per-batch {batch}"
        yield refuse(view, LOADED, message, f"use max-loaded-loras {batch}")
    if loaded is not None and len(paths) > loaded:
        message = f"lora-paths names {len(paths)} adapters, max-loaded-loras is {loaded}"
        yield refuse(view, LOADED, message, f"use max-loaded-loras {len(paths)}")
