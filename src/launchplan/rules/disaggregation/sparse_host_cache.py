"""A cache on the host for sparse attention, with something that it does not take.

## Why

HiSparse keeps the cache of sparse attention in host memory and brings in what a step looks at. It needs a
size for that memory, the second model runner, no pipeline stages and no decode context parallelism, and a
model with an indexer.

## Fix

Give `host_pool_gib` in `kv_connector_extra_config`, and change what is named.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:1842-1890`, `vllm/config/kv_transfer.py:17`,
  `vllm/v1/hisparse/layout.py:86`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import mapping, variable
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import connectors, held, refuse, vllm_rule


@vllm_rule("DIS204", "sparse-host-cache", source="config/vllm.py:1850")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at what the host's cache needs."""
    named = "HiSparseConnector" in connectors(view)
    if named or mapping(view, "attention_config").get("hisparse_config") is not None:
        problem = next((text for broken, text in _demands(view) if broken), None)
        size = next((text for broken, text in _pool(view) if broken), None)
        if problem is not None:
            yield refuse(view, "kv_transfer_config", f"HiSparse {problem}")
        elif size is not None:
            place = "vllm/v1/hisparse/layout.py:86 (0.33.0)"
            path = view.path("kv_transfer_config")
            yield Violation(f"HiSparse needs {size}", path, None, place, "worker")


def _pool(view: VllmView) -> Iterator[tuple[bool, str]]:
    """Look at the size of the host's memory, which is read where the cache is laid out."""
    config = mapping(view, "kv_transfer_config")
    own = config.get("kv_connector") == "HiSparseConnector"
    pool = held(config, "kv_connector_extra_config").get("host_pool_gib")
    yield own and pool is None, "host_pool_gib"
    yield own and isinstance(pool, int | float) and pool <= 0, "host_pool_gib above 0"


def _demands(view: VllmView) -> Iterator[tuple[bool, str]]:
    sizes, model = view.settings.parallel, view.architecture
    yield variable(view, "VLLM_USE_V2_MODEL_RUNNER") is False, "needs model runner V2"
    yield sizes.pp > 1, "does not go with pipeline stages"
    yield sizes.dcp > 1, "does not go with decode context parallelism"
    yield view.settings.cudagraph_mode == "FULL", "does not go with cudagraph_mode FULL"
    yield view.arguments["scheduler_reserve_full_isl"] is False, "needs scheduler-reserve-full-isl"
    yield model is not None and not model.sparse_indexer, "is for sparse attention, which the model has not"
    yield view.arguments["disable_hybrid_kv_cache_manager"] is True, "needs the hybrid KV cache manager"
