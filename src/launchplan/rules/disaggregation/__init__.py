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
    offload_complete,
    offload_keeps_transfer,
    offload_with_dcp,
    pools_hold_same_cache,
    pools_share_blocks,
    pools_split_heads,
    prefill_complete,
    rdma_devices_named,
    role_switch,
    router_has_pools,
    sparse_host_cache,
    transfer_backend_fits,
    transfer_over_fabric,
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
    pools_hold_same_cache.check,
    pools_split_heads.check,
    pools_share_blocks.check,
    router_has_pools.check,
    transfer_over_fabric.check,
    offload_complete.check,
    offload_keeps_transfer.check,
)
