"""Rules about prefill/decode disaggregation, encoder disaggregation and where KV caches go."""

from __future__ import annotations

from launchplan.rules.disaggregation import (
    connector_known,
    decode_host_memory,
    decode_radix_cache,
    encoder_apart,
    kv_cache_sharding,
    memory_stays_put,
    nixl_context_parallel,
    offload_with_dcp,
    prefill_complete,
    rdma_devices_named,
    role_switch,
    sparse_host_cache,
    transfer_backend_fits,
)

RULES = (
    transfer_backend_fits.check,
    decode_radix_cache.check,
    role_switch.check,
    prefill_complete.check,
    decode_host_memory.check,
    encoder_apart.check,
    kv_cache_sharding.check,
    rdma_devices_named.check,
    connector_known.check,
    nixl_context_parallel.check,
    memory_stays_put.check,
    sparse_host_cache.check,
    offload_with_dcp.check,
)
