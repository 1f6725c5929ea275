"""By what each part of a model is split: attention, dense layers, experts.

vLLM 0.33.0: `model_executor/layers/fused_moe/config.py` (experts are split by tp x dp without expert
parallelism, not at all with it). SGLang 0.5.23: `runtime_context.py:_validate_parallel`
(tp = moe_ep x moe_dp x moe_tp, where `--tp-size` counts attention data parallelism in).
"""

from __future__ import annotations

from launchplan.engines.flags import raw_flags
from launchplan.engines.sglang.build import attention_dp
from launchplan.engines.sglang.build import engine_tp as sglang_tp
from launchplan.resolve import ResolvedPool
from launchplan.rules.given import raw_count, switched_on

FULL_EXPERT_BACKENDS = frozenset(
    {"deepep", "deepep_v2", "mooncake", "nixl", "ascend_fuseep", "flashinfer", "flashinfer_megamoe", "mori",
     "pplx", "megamoe"}
)  # fmt: skip
"""`--moe-a2a-backend` values with which SGLang 0.5.23 sets ep = tp itself (`overrides.py:_a2a_ep_size`)."""


def attention_tp(pool: ResolvedPool) -> int:
    """Give the ranks that share the attention heads of one replica."""
    context = raw_count(pool, "attn_cp_size") if pool.deployment.engine == "sglang" else None
    if context and pool.parallel.tp % context == 0:
        return pool.parallel.tp // context
    return pool.parallel.tp


def engine_tp(pool: ResolvedPool) -> int:
    """Give the tensor parallel size that the engine is told."""
    return sglang_tp(pool) if pool.deployment.engine == "sglang" else pool.parallel.tp


def expert_parallel(pool: ResolvedPool) -> int:
    """Give the expert parallel size in force, raw flags included."""
    if pool.deployment.engine == "vllm":
        on = pool.parallel.ep > 1 or switched_on(pool, "enable_expert_parallel")
        return pool.parallel.tp * pool.parallel.dp if on else 1
    backend = raw_flags(pool).get("moe_a2a_backend")
    if isinstance(backend, str) and backend in FULL_EXPERT_BACKENDS:
        return engine_tp(pool)
    return pool.parallel.ep


def is_replicated(pool: ResolvedPool) -> bool:
    """Tell whether data parallel ranks are replicas of the whole model, with nothing between them."""
    if pool.deployment.engine == "sglang":
        return pool.parallel.dp > 1 and not attention_dp(pool)
    model = pool.architecture
    return pool.parallel.dp > 1 and model is not None and not model.is_moe
