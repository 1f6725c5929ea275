"""SGLang's pools: tokens of KV cache and slots of recurrent state, from the bytes that weights leave."""

from __future__ import annotations

from launchplan.memory.kv.sglang.pool import plan_pools, rest_bytes, sizes, slots_per_request
from launchplan.memory.kv.sglang.types import Cell, PoolPlan, SglangPoolSettings

__all__ = ["Cell", "PoolPlan", "SglangPoolSettings", "plan_pools", "rest_bytes", "sizes", "slots_per_request"]
