"""A KV connector on memory that PyTorch may remap.

## Why

Connectors register the KV cache with the network card. `expandable_segments:True` lets PyTorch put other
memory behind the same addresses, so the card would read what is there no more. vLLM refuses the pair for
every connector, offloading to the host included, unless its own allocator holds the cache.

## Fix

Remove `expandable_segments:True` from `PYTORCH_CUDA_ALLOC_CONF`, or add `--enable-cumem-allocator`.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:1291`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import mapping, on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

VARIABLE = "PYTORCH_CUDA_ALLOC_CONF"


@vllm_rule("DIS203", "memory-stays-put", source="config/vllm.py:1291")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at the allocator of a side with a connector."""
    offloading = view.arguments["kv_offloading_size"] is not None
    connected = mapping(view, "kv_transfer_config").get("kv_connector") is not None or offloading
    held = on(view, "enable_cumem_allocator") or on(view, "enable_sleep_mode")
    if connected and not held and "expandable_segments:True" in view.env.get(VARIABLE, ""):
        message = "a KV connector does not go with expandable_segments:True"
        yield refuse(view, VARIABLE, message, f"remove it from {VARIABLE}, or add enable-cumem-allocator")
