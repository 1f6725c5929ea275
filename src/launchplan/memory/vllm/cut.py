"""vLLM's parallel groups, as sizes of shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from launchplan.memory.rotary import rotary_table_elements, vision_table_elements
from launchplan.memory.shares import Shares, Stage
from launchplan.memory.vllm.experts import expert_kernel, shared_expert_kernel
from launchplan.memory.weights import Cut

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.memory.tensors import Kind

# All-to-all backends with which the MoE input is split by token: config/parallel.py:768.
_BY_TOKEN = frozenset(
    {
        "allgather_reducescatter",
        "deepep_high_throughput",
        "deepep_low_latency",
        "deepep_v2",
        "flashinfer_nvlink_one_sided",
        "passthrough",
        "mori_high_throughput",
        "mori_low_latency",
        "nixl_ep",
    }
)
# Families whose class makes the embedding on every stage: models/qwen3_moe.py:468, qwen3_next.py:660 …
_EMBEDDING_EVERYWHERE = frozenset({"qwen_moe", "qwen_next", "mixtral", "nemotron_h", "gpt_oss", "gemma4"})
_EMBEDDING: frozenset[Kind] = frozenset({"embedding"})
# Families whose dense layers also run whole on each rank's tokens: models/deepseek_v32/nvidia/model.py:78.
_DENSE_BY_TOKEN = frozenset({"deepseek_sparse", "kimi_linear"})
# Families whose shared expert runs whole on each rank's tokens when the MoE input is split by token.
_SHARED_BY_TOKEN = frozenset(
    {
        "deepseek",
        "deepseek_sparse",
        "deepseek_v4",
        "kimi_linear",
        "qwen_moe",
        "qwen_next",
        "llama4",
        "nemotron_h",
    }
)
# Routers made in 32 bits: models/mimo_v2.py:161, step3p5.py:339.
_WIDE_ROUTERS = frozenset({"mimo_v2", "step3"})
# Towers that are transformers' own classes: models/gemma4_mm.py.
_WHOLE_TOWERS = frozenset({"gemma4"})
# Rotations of these keep their table in 32 bits: gpt_oss.py:111, models/deepseek_v4, models/deepseek_v32.
_WIDE_TABLES = frozenset({"gpt_oss", "deepseek_v4"})


@dataclass(frozen=True, slots=True)
class VllmWeights:
    """The settings of vLLM that decide what a rank holds."""

    tp: int = 1
    pp: int = 1
    dp: int = 1
    expert_parallel: bool = False
    all2all_backend: str = "allgather_reducescatter"
    moe_backend: str = "auto"
    capability: tuple[int, int] | None = None
    """Compute capability of the GPU; None for one that is not NVIDIA's, or unknown."""
    redundant_experts: int = 0
    vision_by_data: bool = False
    """`--mm-encoder-tp-mode data`: each rank runs the whole tower on its own images."""
    mtp: bool = False
    """The model's own prediction layers are loaded as the draft."""


def stage_layers(layers: int, pp: int) -> tuple[range, ...]:
    """Split the decoder layers over the stages; the rest goes to stages before the last one.

    vLLM 0.33.0 distributed/utils.py:198 (get_pp_indices), without VLLM_PP_LAYER_PARTITION.
    """
    sizes = [layers // pp] * pp
    for back in range(2, layers % pp + 2):
        sizes[-back] += 1
    starts = [sum(sizes[:stage]) for stage in range(pp)]
    return tuple(range(start, start + size) for start, size in zip(starts, sizes, strict=True))


@lru_cache(maxsize=4096)
def vllm_cut(model: Architecture, settings: VllmWeights, stage: Stage) -> Cut:
    """Say what a rank of one stage holds."""
    width = _expert_width(model, settings)
    return Cut(
        engine="vllm",
        shares=_shares(model, settings),
        stage=stage,
        kernel=expert_kernel(model, settings.capability, settings.moe_backend, width),
        shared_kernel=shared_expert_kernel(model),
        router_width=_router_width(model, settings.capability),
        ignores_formats=_ignores_formats(model),
        everywhere=_EMBEDDING if model.family in _EMBEDDING_EVERYWHERE else frozenset(),
        buffer_bytes=_table_bytes(model, stage),
        mtp=settings.mtp,
    )


def _ignores_formats(model: Architecture) -> bool:
    """Say whether vLLM takes a quantized checkpoint for a plain one: its settings name no method."""
    settings = model.quantization
    return settings.method is None and settings.quant_algo is not None


def _router_width(model: Architecture, capability: tuple[int, int] | None) -> int | None:
    """Give 4 where a router is kept in 32 bits: always, or without a kernel for it (gate_linear.py:90)."""
    if model.family in _WIDE_ROUTERS:
        return 4
    has_kernel = capability is not None and (capability == (9, 0) or capability[0] == 10)
    return 4 if model.family == "nemotron_h" and not has_kernel else None


def _shares(model: Architecture, settings: VllmWeights) -> Shares:
    by_expert, ranks = settings.expert_parallel, settings.tp * settings.dp
    by_token = by_expert and settings.tp > 1 and settings.dp > 1 and settings.all2all_backend in _BY_TOKEN
    return Shares(
        attention=settings.tp,
        dense=1 if by_token and settings.pp == 1 and model.family in _DENSE_BY_TOKEN else settings.tp,
        # With the MoE input split by token, each rank runs the whole shared expert on its tokens.
        shared_experts=1 if by_token and _shares_by_token(model, settings.pp) else settings.tp,
        embedding=settings.tp,
        lm_head=settings.tp,
        vision=1 if settings.vision_by_data or _uneven_tower(model, settings.tp) else settings.tp,
        expert_groups=ranks if by_expert else 1,
        expert_parts=1 if by_expert else ranks,
        redundant_experts=settings.redundant_experts,
    )


def _shares_by_token(model: Architecture, pp: int) -> bool:
    """Say whether a family splits its shared expert's tokens; Kimi-K3 does without pipeline stages only."""
    return model.family in _SHARED_BY_TOKEN and (pp == 1 or model.family != "kimi_linear")


def _uneven_tower(model: Architecture, tp: int) -> bool:
    """Say whether each rank holds the tower whole: its heads don't split, or its class has no parts."""
    if model.family in _WHOLE_TOWERS:
        return True
    heads = model.vision.num_heads if model.vision else None
    return heads is not None and heads % tp != 0


def _expert_width(model: Architecture, settings: VllmWeights) -> int:
    """Give the width of a rank's part of an expert."""
    width = model.moe.intermediate_size if model.moe else None
    parts = 1 if settings.expert_parallel else settings.tp * settings.dp
    return -(-(width or 0) // parts)


def _table_bytes(model: Architecture, stage: Stage) -> int:
    rope = model.rope
    stretched = rope is not None and rope.type in {"yarn", "deepseek_yarn"}
    wide = model.family in _WIDE_TABLES or (model.family == "deepseek_sparse" and stretched)
    width = 4 if wide else 2
    vision = vision_table_elements(model) if stage.first else 0
    return sum(rotary_table_elements(model, stage.layers)) * width + vision * 2
