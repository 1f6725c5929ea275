"""vLLM as far as a worker's model: the real class of a rank, on torch's meta device.

Groups are arithmetic only: which ranks belong together is the engine's own, nothing is connected. What the
worker does before (does its GPU exist) and after (weights, memory, kernels) is not asked.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from tests.conformance.record.pretend import answer

_GROUPS = (
    "_TP",
    "_ETP",
    "_ENGRAM_DP",
    "_DCP",
    "_PCP",
    "_PP",
    "_DP",
    "_EP",
    "_EPLB",
    "_WORLD",
    "_INNER_DP_WORLD",
)


def build(config: Any) -> None:
    """Construct the model of the first and of the last rank; raises what the engine raises."""
    parallel = config.parallel_config
    world = parallel.world_size_across_dp
    for rank in sorted({0, world - 1}):
        _build_rank(config, rank, world)


def _build_rank(config: Any, rank: int, world: int) -> None:
    state = _module("vllm.distributed.parallel_state")
    parallel = config.parallel_config
    _pretend_processes(rank, world)
    for name in _GROUPS:
        setattr(state, name, None)
    group = _group_class(state, rank)
    answer(state, {"init_model_parallel_group": group})
    state._WORLD = state._INNER_DP_WORLD = group([list(range(world))], rank, group_name="world")
    state._NODE_COUNT = parallel.nnodes
    config.compilation_config.static_forward_context.clear()  # layers of the rank before
    dtype = _module("vllm.utils.torch_utils").set_default_torch_dtype(config.model_config.dtype)
    with _module("vllm.config").set_current_vllm_config(config):
        state.initialize_model_parallel(
            parallel.tensor_parallel_size,
            parallel.pipeline_parallel_size,
            parallel.prefill_context_parallel_size,
            parallel.decode_context_parallel_size,
        )
        with dtype, _on_meta(_module("torch")):
            _module("vllm.model_executor.model_loader.utils").initialize_model(config)


def _pretend_processes(rank: int, world: int) -> None:
    """Answer as one of the processes of a launch that has come together."""
    torch = _module("torch")
    answer(torch.distributed, {
        "is_initialized": True, "get_rank": rank, "get_world_size": world, "get_backend": "nccl", "barrier": None,
    })  # fmt: skip
    answer(torch.cuda, {"Stream": Hollow, "Event": Hollow, "current_stream": Hollow})
    experts = _module("vllm.model_executor.layers.fused_moe.expert_map_manager")
    answer(
        experts.ExpertMapManager, {"get_compressed_map_string": ""}
    )  # for the log, of values that aren't there


def _module(name: str) -> Any:
    return importlib.import_module(name)


class Hollow:
    """A stream or an event that nothing ever waits for."""

    def __init__(self, *_: Any, **__: Any) -> None:
        """Take whatever the real one takes."""


@dataclass(frozen=True, slots=True)
class _Members:
    """What a process group knows of itself."""

    world_size: int
    place: int

    def size(self) -> int:
        return self.world_size

    def rank(self) -> int:
        return self.place


def _group_class(state: Any, rank: int) -> type:
    class Group(state.GroupCoordinator):  # type: ignore[misc] # the engine's own class, unconnected
        def __init__(self, group_ranks: list[list[int]], local_rank: int, *_: Any, **options: Any) -> None:
            self.rank, self.local_rank = rank, local_rank
            self.ranks = next(ranks for ranks in group_ranks if rank in ranks)
            self.world_size, self.rank_in_group = len(self.ranks), self.ranks.index(rank)
            self.unique_name = str(options.get("group_name"))
            self.cpu_group = self.device_group = _Members(self.world_size, self.rank_in_group)
            self.device_communicator = self.mq_broadcaster = None
            self.use_device_communicator = False

    return Group


def _on_meta(torch: Any) -> Any:
    """Make every tensor on the meta device, also those that a class asks the GPU for."""

    class OnMeta(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            options = dict(kwargs or {})
            if "device" in options or func in _makers(torch):
                options["device"] = "meta"
            return func(*args, **options)

    return OnMeta()


def _makers(torch: Any) -> frozenset[Any]:
    names = ("empty", "zeros", "ones", "full", "arange", "rand", "randn", "tensor", "linspace", "eye")
    return frozenset(getattr(torch, name) for name in names)
