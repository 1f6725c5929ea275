"""SGLang as far as a scheduler's pools: the real model class of a rank on torch's meta device, then its pools' sizes.

Groups are arithmetic only: which ranks belong together is the engine's own, nothing is connected. Memory is
the GPU's, less what the parameters take; pools are sized by the engine and not allocated.
"""

from __future__ import annotations

import contextlib
import importlib
import types
from collections.abc import Iterator
from typing import Any

from tests.conformance.record.pretend import Device, answer
from tests.conformance.record.processes import Hollow, on_meta, unconnected

_GROUPS = (
    "_WORLD", "_TP", "_PDMUX_PREFILL_TP_GROUP", "_DCP", "_ATTN_CP", "_ATTN_TP", "_SHARED_EXPERTS_TP", "_MOE_DP",
    "_MOE_EP", "_MOE_TP", "_PP", "_SELF_PP",
)  # fmt: skip
_CONTEXT_GIB = 1.0
"""What context and libraries take before weights are loaded."""


def build(given: Any, model: Any, device: Device) -> None:
    """Construct the model of the first and of the last rank and size its pools; raises what the engine raises."""
    ranks = given.tp_size * given.pp_size
    for rank in sorted({0, ranks - 1}):
        _build_rank(given, model, device, rank, ranks)


def _build_rank(given: Any, model: Any, device: Device, rank: int, ranks: int) -> None:
    context = _module("sglang.srt.runtime_context")
    spawned = context.SpawnRanks(world_rank=rank, gpu_id=rank % device.count)
    context.publish(given, role="scheduler", ranks=spawned)
    _group_up(given, model, rank, ranks)
    _set_kernels()
    loader = _module("sglang.srt.model_loader.loader")
    load = _module("sglang.srt.configs.load_config").LoadConfig()
    dtype = _module("sglang.srt.model_loader.utils").set_default_torch_dtype(model.dtype)
    quantization = loader._get_quantization_config(model, load)
    torch = _module("torch")
    with dtype, torch.device("meta"), on_meta(torch):
        built = loader._initialize_model(model, load, quantization)
    _size_pools(given, model, built, device)


def _group_up(given: Any, model: Any, rank: int, ranks: int) -> None:
    """Answer as one of the processes of a launch that has come together."""
    torch = _module("torch")
    state, attention = (
        _module("sglang.srt.distributed.parallel_state"),
        _module("sglang.srt.layers.dp_attention"),
    )
    answer(torch.distributed, {
        "is_initialized": True, "get_rank": rank, "get_world_size": ranks, "get_backend": "nccl", "barrier": None,
        "all_reduce": None,
    })  # fmt: skip
    answer(torch.cuda, {"Stream": Hollow, "Event": Hollow, "current_stream": Hollow})
    for name in _GROUPS:
        setattr(state, name, None)
    group = unconnected(state.GroupCoordinator, rank)
    answer(state, {"init_model_parallel_group": group})
    state._WORLD = group([list(range(ranks))], rank, group_name="world")
    parallel = _module("sglang.srt.runtime_context").get_parallel()
    parallel.override_permanently(world_group=state._WORLD)
    state.initialize_model_parallel(backend="nccl", duplicate_tp_group=given.enable_pdmux)
    attention.initialize_dp_attention(given)
    _module("sglang.srt.distributed.bootstrap").init_layer_runtime(model_config=model)


def _set_kernels() -> None:
    """Choose the kernels that decide about layouts, as a scheduler does (managers/scheduler.py:1008)."""
    _module("sglang.srt.layers.moe").initialize_moe_config()
    quantization = "sglang.srt.layers.quantization."
    _module(f"{quantization}fp8_utils").initialize_fp8_gemm_config()
    _module(f"{quantization}fp4_utils").initialize_fp4_gemm_config()


def _size_pools(given: Any, model: Any, built: Any, device: Device) -> None:
    """Size the pools as the model's runner does (model_executor/model_runner.py:656)."""
    runners = _module("sglang.srt.model_executor.model_runner")
    runner = _runner(runners, given, model, built)
    before = device.memory_bytes / 2**30 - _CONTEXT_GIB
    left = before - sum(each.numel() * each.element_size() for each in built.parameters()) / 2**30
    with _free_memory(left):
        runner.init_kv_cache_configurator()
        runner.kv_cache_configurator._resolve_memory_pool_config(before)


def _runner(runners: Any, given: Any, model: Any, built: Any) -> Any:
    """Make a runner that holds what pools are sized from, and nothing else."""
    context = _module("sglang.srt.runtime_context")
    layers = _module("sglang.srt.model_executor.model_runner_components.layer_setup")
    algorithms = _module("sglang.srt.speculative.spec_info").SpeculativeAlgorithm
    runner = runners.ModelRunner.__new__(runners.ModelRunner)
    known = types.SimpleNamespace(
        device="cuda", gpu_id=0, server_args=given, model=built, model_config=model, dtype=model.dtype,
        page_size=context.get_schedule().page_size, is_draft_worker=False, draft_model_idx=None,
        draft_attention_backend=None,
        pp_group=context.get_parallel().pp_group, forward_stream=Hollow(), req_to_token_pool=None,
        token_to_kv_pool_allocator=None, memory_pool_config=None, is_hybrid_swa=model.is_hybrid_swa,
        is_hybrid_swa_compress=model.is_hybrid_swa_compress,
        use_mla_backend=model.attention_arch == _module("sglang.srt.configs.model_config").AttentionArch.MLA,
        spec_algorithm=algorithms.from_string(context.get_spec().speculative_algorithm),
        sliding_window_size=runners.resolve_sliding_window_size(built, model),
        layer_info=layers.resolve_layer_indices(model=built, model_config=model, is_draft_worker=False),
    )  # fmt: skip
    for name, value in vars(known).items():
        setattr(runner, name, value)
    runner.init_spec_aux_hidden_state()
    runner.configure_kv_cache_dtype()
    return runner


@contextlib.contextmanager
def _free_memory(gib: float) -> Iterator[None]:
    """Answer what is free on the GPU."""
    sizing = _module("sglang.srt.mem_cache.kv_cache_configurator")
    kept = sizing.get_available_gpu_memory
    answer(sizing, {"get_available_gpu_memory": gib})
    try:
        yield
    finally:
        sizing.get_available_gpu_memory = kept


def _module(name: str) -> Any:
    return importlib.import_module(name)
