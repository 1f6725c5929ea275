"""The values that SGLang resolves by itself before a worker starts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any


@dataclass(frozen=True, slots=True)
class Graph:
    """CUDA graphs of one phase (`--cuda-graph-config`)."""

    backend: str
    """`full`, `breakable`, `disabled` …"""
    max_bs: int | None = None
    """Largest captured batch (decode: requests; prefill: tokens)."""
    sizes: tuple[int, ...] | None = None
    """Captured batches; None until they are generated."""
    backend_given: bool = False
    """The command said the backend, so that no default touches it."""
    max_bs_given: bool = False
    sizes_given: bool = False
    max_context: int | None = None

    @property
    def on(self) -> bool:
        """Whether anything is captured."""
        return self.backend != "disabled"


@dataclass(frozen=True, slots=True)
class SglangSettings:
    """What `ServerArgs` holds once it is resolved (`arg_groups/pipeline.py`, 0.5.23).

    None means what it means to the engine: not set. `complete` tells whether model and GPU were known, so
    that every value is the engine's; without them only what the command says itself is right.
    """

    complete: bool
    tp_size: int
    pp_size: int
    dp_size: int
    attn_dp_size: int
    attn_cp_size: int
    moe_dp_size: int
    ep_size: int
    dcp_size: int
    nnodes: int
    dcp_comm_backend: str | None
    dcp_replicate_q_proj: bool | None
    moe_dense_tp_size: int | None
    enable_dp_lm_head: bool
    enable_tp_lm_head_all_to_all: bool | None
    page_size: int | None
    attention_backend: str | None
    prefill_attention_backend: str | None
    decode_attention_backend: str | None
    sampling_backend: str | None
    mem_fraction_static: float | None
    chunked_prefill_size: int | None
    max_prefill_tokens: int
    max_running_requests: int | None
    max_total_tokens: int | None
    quantization: str | None
    kv_cache_dtype: str
    dtype: str
    moe_runner_backend: str
    moe_a2a_backend: str
    deepep_mode: str
    disable_overlap_schedule: bool
    disable_radix_cache: bool
    disable_shared_experts_fusion: bool
    speculative_algorithm: str | None
    speculative_num_steps: int | None
    speculative_eagle_topk: int | None
    speculative_num_draft_tokens: int | None
    speculative_draft_model_path: str | None
    speculative_moe_runner_backend: str | None
    speculative_moe_a2a_backend: str | None
    speculative_attention_mode: str
    speculative_draft_attention_backend: str | None
    disaggregation_mode: str
    disaggregation_transfer_backend: str
    disaggregation_bootstrap_port: int
    mamba_ssm_dtype: str | None
    mamba_full_memory_ratio: float
    max_mamba_cache_size: int | None
    mamba_radix_cache_strategy: str
    uses_mamba_radix_cache: bool
    linear_attn_backend: str
    linear_attn_decode_backend: str | None
    linear_attn_verify_backend: str | None
    mamba_backend: str
    dsa_prefill_backend: str | None
    dsa_decode_backend: str | None
    swa_full_tokens_ratio: float
    schedule_conservativeness: float
    enable_flashinfer_allreduce_fusion: bool
    flashinfer_allreduce_fusion_backend: str | None
    load_balance_method: str
    disaggregation_decode_extra_slots: int | None
    context_length: int | None
    reasoning_parser: str | None
    tool_call_parser: str | None
    decode_graph: Graph
    prefill_graph: Graph
    enable_prefill_cp: bool
    cp_strategy: str | None
    enable_multi_layer_eagle: bool
    enable_deterministic_inference: bool
    enable_mixed_chunk: bool
    enable_hierarchical_cache: bool
    enable_two_batch_overlap: bool
    mm_enable_dp_encoder: bool | None
    dsv4_attn_backend: str
    speculative_adaptive: bool
    prefill_kv_cache_dequant_dtype: str
    attn_dp_enabled: bool
    """Attention data parallelism is on, as of the last step (`runtime_context.attn_dp_enabled_of`)."""
    ep_dispatch_algorithm: str | None

    @property
    def attention_tp(self) -> int | None:
        """Ranks that share the heads of one attention replica; None when the sizes do not divide."""
        parts = self.attn_dp_size * self.attn_cp_size
        return self.tp_size // parts if parts > 0 and self.tp_size % parts == 0 else None

    @property
    def prefill_backend(self) -> str | None:
        """The attention backend of prefill."""
        return self.prefill_attention_backend or self.attention_backend

    @property
    def decode_backend(self) -> str | None:
        """The attention backend of decoding."""
        return self.decode_attention_backend or self.attention_backend


_NAMES = tuple(field.name for field in fields(SglangSettings))
_READ = attrgetter(*_NAMES)
_WRITE = {name: getattr(SglangSettings, name).__set__ for name in _NAMES}
_WRITERS = tuple(_WRITE.values())


def changed(now: SglangSettings, **values: Any) -> SglangSettings:
    """Set values by field; the same object when all of them were set already.

    The slots are copied, which takes a third of the time of `dataclasses.replace`: a resolution sets a few of
    eighty values two dozen times.
    """
    new = {name: value for name, value in values.items() if getattr(now, name) != value}
    if not new:
        return now
    copy = object.__new__(SglangSettings)
    for write, value in zip(_WRITERS, _READ(now), strict=True):
        write(copy, value)
    for name, value in new.items():
        _WRITE[name](copy, value)
    return copy
