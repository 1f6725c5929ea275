"""Ranks, replicas, nodes and load balancing, in the order of `create_engine_config`."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines.view import EngineView
from launchplan.engines.vllm.settings.reading import count, on, size, text
from launchplan.engines.vllm.settings.types import Mode, ModelFacts, ParallelSettings

REMOVED_ALL2ALL = frozenset({"pplx", "naive"})
_SHARED_EXPERTS_BACKENDS = frozenset({
    "flashinfer_moe_ep_cutedsl", "flashinfer_moe_ep_mega_deep_gemm",
})  # fmt: skip
"""MoE backends that dispatch themselves (vllm/config/kernel.py:196)."""
Q_REPLICATED = frozenset({"GlmMoeDsaForCausalLM"})
"""Classes that exchange attention results all to all under DCP (vllm/model_executor/models/config.py:113)."""


@dataclass(frozen=True, slots=True)
class _Replicas:
    """Data parallel ranks of this process."""

    local: int
    rank: int
    external: bool
    hybrid: bool


def read_parallel(view: EngineView, model: ModelFacts) -> ParallelSettings:
    """Resolve the parallel layout (vllm/engine/arg_utils.py:2400-2545, config/parallel.py:950-1140)."""
    tp, pp = size(view, "tensor_parallel_size"), size(view, "pipeline_parallel_size")
    pcp, asked = size(view, "prefill_context_parallel_size"), size(view, "data_parallel_size")
    nnodes, node_rank = size(view, "nnodes"), count(view, "node_rank") or 0
    replicas = _replicas(view, tp * pp * pcp, asked, nnodes, node_rank)
    dp, rank = asked, replicas.rank
    if asked == 1 and replicas.local != 0:
        dp, rank = _number(view.env.get("VLLM_DP_SIZE"), 1), _number(view.env.get("VLLM_DP_RANK"), 0)
    given = text(view, "distributed_executor_backend")
    world = tp * pp * pcp * (asked if given == "external_launcher" else 1)
    return ParallelSettings(
        tp=tp,
        pp=pp,
        pcp=pcp,
        dp=dp,
        dcp=size(view, "decode_context_parallel_size"),
        nnodes=nnodes,
        node_rank=node_rank,
        world_size=world,
        dp_local=replicas.local,
        dp_rank=rank,
        external_lb=replicas.external,
        hybrid_lb=replicas.hybrid,
        executor=given or _executor(view, world, dp, nnodes),
        all2all=_all2all(view),
        dcp_comm_backend=text(view, "dcp_comm_backend") or ("a2a" if model.name in Q_REPLICATED else "ag_rs"),
        expert_parallel=on(view, "enable_expert_parallel"),
        nnodes_within_dp=_nodes_of_replica(nnodes, dp, replicas),
    )


def _replicas(view: EngineView, world: int, dp: int, nnodes: int, node_rank: int) -> _Replicas:
    """Tell which data parallel ranks run here (vllm/engine/arg_utils.py:2398-2533)."""
    rank, local = count(view, "data_parallel_rank"), count(view, "data_parallel_size_local")
    start = count(view, "data_parallel_start_rank")
    external_asked = on(view, "data_parallel_external_lb")
    inferred = 0
    if nnodes > 1:
        per_node = world * dp // nnodes
        inferred = node_rank * per_node // world
        if dp > 1 and external_asked:
            rank = inferred if rank is None and nnodes % dp == 0 else rank
        elif local is None:
            local = max(per_node // world, 1)
    if external_asked or rank is not None:
        return _Replicas(1, rank or 0, external=True, hybrid=False)
    hybrid = on(view, "data_parallel_hybrid_lb")
    if local is None:
        spans = text(view, "data_parallel_backend") == "ray" and _span(view)
        return _Replicas(1 if spans else dp, 0, external=False, hybrid=hybrid)
    hybrid = hybrid or (start is not None and not on(view, "headless"))
    external = hybrid and local == 1
    hybrid = hybrid and local not in {1, dp}
    return _Replicas(local, start if start is not None else inferred, external=external, hybrid=hybrid)


def _span(view: EngineView) -> bool:
    return view.env.get("VLLM_RAY_DP_PACK_STRATEGY") == "span"


def _executor(view: EngineView, world: int, dp: int, nnodes: int) -> str | None:
    """Choose the executor where none is given (vllm/config/parallel.py:1056)."""
    if world * dp == 1:
        return "uni"
    if nnodes == 1 and text(view, "data_parallel_backend") == "ray":
        return "ray"
    return "mp"


def _all2all(view: EngineView) -> str:
    given = text(view, "all2all_backend") or "allgather_reducescatter"
    if given in REMOVED_ALL2ALL:
        given = "allgather_reducescatter"
    own = view.arguments["moe_backend"] in _SHARED_EXPERTS_BACKENDS
    return "passthrough" if own and given == "allgather_reducescatter" else given


def _nodes_of_replica(nnodes: int, dp: int, replicas: _Replicas) -> int | None:
    """Count the nodes that one replica spans (vllm/config/parallel.py:824)."""
    if nnodes == 1:
        return 1
    groups = dp // replicas.local if replicas.local else 0
    if groups == 0:
        return None
    if replicas.external:
        return max(nnodes // groups, 1)
    return nnodes // groups if nnodes % groups == 0 else None


def _number(value: str | None, default: int) -> int:
    return int(value) if value is not None and value.isdecimal() else default


def read_mode(view: EngineView) -> tuple[Mode | None, int | None]:
    """Tell which processes start, and how many API servers (vllm/entrypoints/cli/serve.py:66-165)."""
    if on(view, "grpc"):
        return None, None
    given = count(view, "api_server_count", -(2**31))
    rust = view.env_on("VLLM_USE_RUST_FRONTEND")
    local = count(view, "data_parallel_size_local")
    multi_port = on(view, "data_parallel_multi_port_external_lb")
    hybrid = on(view, "data_parallel_hybrid_lb") or (
        not multi_port and view.arguments["data_parallel_start_rank"] is not None
    )
    external = on(view, "data_parallel_external_lb") or view.arguments["data_parallel_rank"] is not None
    if on(view, "headless"):
        servers = 0
    elif given is not None:
        servers = 1 if rust and given > 1 else given
    elif multi_port or external or rust:
        servers = 1
    else:
        servers = (local or 1) if hybrid else size(view, "data_parallel_size")
    if on(view, "enable_elastic_ep"):
        servers = min(servers, 1)
    if multi_port:
        return "dp_supervisor", servers
    if servers < 1:
        return "headless", servers
    return ("multi_api" if servers > 1 or rust else "single"), servers
