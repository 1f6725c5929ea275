"""What vLLM 0.33.0 resolves by itself from arguments, model and GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from launchplan.architecture import Architecture

Mode = Literal["single", "multi_api", "headless", "dp_supervisor"]
"""Which processes `vllm serve` starts: one API server, several, none, or a supervisor of whole servers."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """The model as vLLM sees it; None where nobody says."""

    name: str | None = None
    """Name of the class that is built."""
    traits: frozenset[str] | None = None
    """What the class supports and is; None for a class that is not in vLLM's registry."""
    model_type: str | None = None
    text_model_type: str | None = None
    heads: int | None = None
    kv_heads: int | None = None
    layers: int | None = None
    vocab_size: int | None = None
    experts: int | None = None
    """0 for a model without experts."""
    use_mla: bool | None = None
    hybrid: bool | None = None
    multimodal: bool | None = None
    pooling: bool = False
    """Whether it runs as a pooling model."""

    @property
    def moe(self) -> bool | None:
        """Whether vLLM counts experts."""
        return None if self.experts is None else self.experts > 0

    def supports(self, trait: str) -> bool | None:
        """Tell whether the class has a trait, None when it is not known."""
        return None if self.traits is None else trait in self.traits


@dataclass(frozen=True, slots=True)
class ParallelSettings:
    """Ranks on nodes, as `ParallelConfig` has them."""

    tp: int = 1
    pp: int = 1
    pcp: int = 1
    dp: int = 1
    dcp: int = 1
    nnodes: int = 1
    node_rank: int = 0
    world_size: int = 1
    """tp x pp x pcp, times dp under an external launcher."""
    dp_local: int = 1
    dp_rank: int = 0
    external_lb: bool = False
    hybrid_lb: bool = False
    executor: str | None = None
    """`mp`, `uni`, `ray`, `external_launcher` or the name of a class."""
    all2all: str = "allgather_reducescatter"
    dcp_comm_backend: str = "ag_rs"
    expert_parallel: bool = False
    nnodes_within_dp: int | None = 1
    """None where nodes and data parallel ranks do not nest."""

    @property
    def world_size_across_dp(self) -> int:
        """Ranks of all data parallel replicas."""
        return self.world_size * self.dp

    @property
    def local_world_size(self) -> int | None:
        """Ranks of one replica on one node."""
        return None if not self.nnodes_within_dp else self.world_size // self.nnodes_within_dp

    @property
    def batched_dp_moe(self) -> bool:
        """Whether experts get batches of fixed size (config/parallel.py, `use_batched_dp_moe`)."""
        return self.all2all in {"deepep_low_latency", "nixl_ep"} and self.expert_parallel and self.dp > 1


@dataclass(frozen=True, slots=True)
class SpeculativeSettings:
    """Speculative decoding as vLLM resolves it."""

    method: str | None
    """None where the draft model decides and isn't known."""
    tokens: int | None
    """Draft tokens a step; None when nobody says."""
    architecture: str | None
    """Class of the draft model, the target's where the draft has none of its own; None when not known."""
    tp: int | None
    """Tensor parallel size of the draft model; None for methods without one."""
    layers: int | None = None
    """MTP layers that the model counts."""
    own_layers: bool = False
    """Whether the draft is made of layers of the target itself."""
    draft: Architecture | None = None
    """The draft model, where it is known and another than the target."""


@dataclass(frozen=True, slots=True)
class VllmSettings:
    """Every value that vLLM fills in; None where it can't be known from what is given."""

    known: bool = False
    """Whether this version's resolution is known at all; without it every value is a placeholder."""
    model: ModelFacts = ModelFacts()
    parallel: ParallelSettings = ParallelSettings()
    mode: Mode | None = None
    api_server_count: int | None = None
    quantization: str | None = None
    """The method that is used; None for unquantized weights and where nobody says."""
    quantization_online: bool = False
    """Whether the weights are quantized at load."""
    dtype: str | None = None
    """Activation type as `bfloat16`, `float16`, `float32`."""
    max_model_len: int | None = None
    derived_max_model_len: int | None = None
    """What the model's configuration allows."""
    max_num_batched_tokens: int | None = None
    max_num_seqs: int | None = None
    chunked_prefill: bool | None = None
    block_size: int | None = None
    prefix_caching: bool | None = None
    kv_cache_dtype: str | None = None
    async_scheduling: bool | None = None
    v2_runner: bool | None = None
    cudagraph_mode: str | None = None
    attention_backend: str | None = None
    """None for automatic selection."""
    moe_backend: str | None = None
    spec: SpeculativeSettings | None = None
