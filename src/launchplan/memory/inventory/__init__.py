"""From an architecture to the list of its tensors: one file a family, all of them in one table."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from launchplan.memory.inventory import (
    bailing_moe,
    deepseek,
    deepseek_v4,
    gemma,
    gemma4,
    glm4_moe,
    gpt_oss,
    hunyuan_moe,
    hy_v3,
    kimi_linear,
    laguna,
    lfm2,
    llama,
    llama4,
    mimo_v2,
    minimax_m2,
    minimax_m3,
    mixtral,
    muse_glimmer,
    nemotron_h,
    nemotron_nas,
    qwen_moe,
    qwen_next,
    step3,
)
from launchplan.memory.inventory.sizes import SizeMissingError, Sizes
from launchplan.memory.inventory.vision import list_tower
from launchplan.memory.tensors import Inventory

if TYPE_CHECKING:
    from collections.abc import Callable

    from launchplan.architecture import Architecture
    from launchplan.memory.inventory.blocks import Tensors

__all__ = ["FAMILY_TENSORS", "list_inventory"]

FAMILY_TENSORS: dict[str, Callable[[Sizes], Tensors]] = {
    "llama": llama.list_tensors,
    "mistral": llama.list_tensors,
    "qwen": llama.list_tensors,
    "qwen_moe": qwen_moe.list_tensors,
    "qwen_next": qwen_next.list_tensors,
    "mixtral": mixtral.list_tensors,
    "gpt_oss": gpt_oss.list_tensors,
    "deepseek": deepseek.list_tensors,
    "deepseek_sparse": deepseek.list_tensors,
    "deepseek_v4": deepseek_v4.list_tensors,
    "kimi_linear": kimi_linear.list_tensors,
    "glm4_moe": glm4_moe.list_tensors,
    "minimax_m2": minimax_m2.list_tensors,
    "minimax_m3": minimax_m3.list_tensors,
    "gemma2": gemma.list_tensors,
    "gemma3": gemma.list_tensors,
    "gemma4": gemma4.list_tensors,
    "llama4": llama4.list_tensors,
    "nemotron_h": nemotron_h.list_tensors,
    "nemotron_nas": nemotron_nas.list_tensors,
    "mimo_v2": mimo_v2.list_tensors,
    "step3": step3.list_tensors,
    "hunyuan_moe": hunyuan_moe.list_tensors,
    "lfm2": lfm2.list_tensors,
    "bailing_moe": bailing_moe.list_tensors,
    "hy_v3": hy_v3.list_tensors,
    "laguna": laguna.list_tensors,
    "muse_glimmer": muse_glimmer.list_tensors,
}


@lru_cache(maxsize=256)
def list_inventory(model: Architecture) -> Inventory:
    """List every tensor of a model; `missing` names what the config leaves open instead of raising."""
    build = FAMILY_TENSORS.get(model.family or "")
    if build is None:
        return Inventory((), missing=("family",))
    sizes = Sizes(model)
    try:
        text = build(sizes)
        tower, doubt = list_tower(sizes)
    except SizeMissingError as error:
        return Inventory((), missing=(error.name,))
    return Inventory(text + tower, uncertain=(doubt,) if doubt else ())
