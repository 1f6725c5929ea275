"""SGLang's parallel groups, as sizes of shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from launchplan.memory.formats import NVFP4, Storage
from launchplan.memory.sglang.experts import expert_kernel
from launchplan.memory.shares import Shares, Stage
from launchplan.memory.weights import Cut

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.architecture.types import Format
    from launchplan.memory.tensors import Kind

# Families whose class makes the output layer on every stage: models/qwen3_moe.py:1017, gpt_oss.py:768 …
_HEAD_EVERYWHERE = frozenset({"qwen_moe", "gpt_oss", "glm4_moe", "mixtral", "llama", "mistral"})
_TOWER: frozenset[Kind] = frozenset({"vision", "projector"})
# Families that keep the embedding whole: models/gemma4_causal.py:887.
_WHOLE_EMBEDDING = frozenset({"gemma4"})
# Families that keep it whole with data parallel attention: models/qwen3_5.py:1872, deepseek_v4.py:3773.
_WHOLE_EMBEDDING_BY_DATA = frozenset({"qwen_next", "deepseek_v4", "step3"})
# Families whose dense layers follow `--moe-dense-tp-size`: models/deepseek_v2.py, glm4_moe.py.
_DENSE_TP = frozenset({"deepseek", "deepseek_sparse", "deepseek_v4", "glm4_moe"})


@dataclass(frozen=True, slots=True)
class SglangWeights:
    """The settings of SGLang that decide what a rank holds."""

    tp: int = 1
    pp: int = 1
    attention_dp: int = 1
    """Data parallel attention: `--dp-size` with `--enable-dp-attention`."""
    ep: int = 1
    dense_tp: int | None = None
    """`--moe-dense-tp-size`; None splits dense layers over all ranks."""
    lm_head_by_attention: bool = False
    """`--enable-dp-lm-head`."""
    redundant_experts: int = 0
    capability: tuple[int, int] | None = None
    quantization: str | None = None
    """`--quantization` as given."""
    mtp: bool = False


def stage_layers(layers: int, pp: int) -> tuple[range, ...]:
    """Split the decoder layers over the stages; the last stages take one more each when it is uneven.

    SGLang 0.5.23 distributed/utils.py (get_pp_indices), without SGLANG_PP_LAYER_PARTITION.
    """
    sizes = [layers // pp + (1 if stage >= pp - layers % pp else 0) for stage in range(pp)]
    starts = [sum(sizes[:stage]) for stage in range(pp)]
    return tuple(range(start, start + size) for start, size in zip(starts, sizes, strict=True))


@lru_cache(maxsize=4096)
def sglang_cut(model: Architecture, settings: SglangWeights, stage: Stage) -> Cut:
    """Say what a rank of one stage holds."""
    return Cut(
        engine="sglang",
        shares=_shares(model, settings),
        stage=stage,
        kernel=expert_kernel(model, settings.capability, settings.quantization),
        online=Storage("fp8") if _goes_online(model, settings, "w4afp8", "none") else None,
        online_experts=NVFP4 if _goes_online(model, settings, "modelopt_fp4", "fp8") else None,
        everywhere=_everywhere(model),
        mtp=settings.mtp,
        # A tower that the config does not describe is not built: models/mllama4.py.
        vision=model.vision is not None,
    )


def _goes_online(model: Architecture, settings: SglangWeights, quantization: str, stored: Format) -> bool:
    """Say whether a `--quantization` makes a checkpoint of some format into another one."""
    return settings.quantization == quantization and model.quantization.formats == (stored,)


def _everywhere(model: Architecture) -> frozenset[Kind]:
    head: frozenset[Kind] = frozenset({"lm_head"} if model.family in _HEAD_EVERYWHERE else ())
    return _TOWER | head


def _whole_embedding(model: Architecture, settings: SglangWeights) -> bool:
    if model.family in _WHOLE_EMBEDDING:
        return True
    by_data = settings.attention_dp > 1 and model.family in _WHOLE_EMBEDDING_BY_DATA
    return by_data and model.text_model_type != "qwen3_next"


def _shares(model: Architecture, settings: SglangWeights) -> Shares:
    attention = settings.tp // settings.attention_dp
    heads = model.vision.num_heads if model.vision else None
    return Shares(
        attention=attention,
        dense=settings.dense_tp if settings.dense_tp and model.family in _DENSE_TP else settings.tp,
        shared_experts=settings.tp,
        embedding=1 if _whole_embedding(model, settings) else attention,
        lm_head=attention if settings.lm_head_by_attention else settings.tp,
        vision=1 if heads and heads % attention else attention,
        expert_groups=settings.ep,
        expert_parts=settings.tp // settings.ep,
        redundant_experts=settings.redundant_experts,
    )
