"""Vision towers, by the family of the text model that they are joined to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision import (
    clip,
    gemma4,
    gemma4_unified,
    glm4v,
    intern,
    llama4,
    mimo,
    moon,
    muse,
    pixtral,
    plain,
    qwen,
    qwen25,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from launchplan.memory.inventory.blocks import Tensors
    from launchplan.memory.inventory.sizes import Sizes

# One row a family; a tower of another make is counted as a plain one, and said to be a guess.
TOWERS: dict[str, Callable[[Sizes], Tensors]] = {
    "qwen": qwen.list_tensors,
    "qwen_moe": qwen.list_tensors,
    "qwen_next": qwen.list_tensors,
    "deepseek": moon.list_tensors,
    "kimi_linear": moon.list_tensors,
    "gemma4": gemma4.list_tensors,
    "minimax_m3": clip.list_tensors,
    "llama4": llama4.list_tensors,
    "glm4_moe": glm4v.list_tensors,
    "mimo_v2": mimo.list_tensors,
    "muse_glimmer": muse.list_tensors,
}
# Models whose tower is of another kind than their family's, by the type of the text model.
_BY_MODEL: dict[str, Callable[[Sizes], Tensors]] = {
    "qwen2_5_vl": qwen25.list_tensors,
    "qwen2_5_vl_text": qwen25.list_tensors,
    "glm4v_text": glm4v.list_tensors,
}
# Towers that are joined to text models of several families, by their own type.
_BY_TOWER: dict[str, Callable[[Sizes], Tensors]] = {
    "gemma4_unified_vision": gemma4_unified.list_tensors,
    "intern_vit_6b": intern.list_tensors,
    "pixtral": pixtral.list_tensors,
}
# Qwen2-VL has a tower of its own kind, and so far no file here.
_OTHER_TOWERS = frozenset({"qwen2_vl", "qwen2_vl_text"})


def list_tower(sizes: Sizes) -> tuple[Tensors, str | None]:
    """List the vision tower, and say what is unsure about it."""
    model = sizes.model
    if not model.is_multimodal:
        return (), None
    tower = (
        _BY_TOWER.get(str(model.dims.get("vision_config.model_type")))
        or _BY_MODEL.get(model.text_model_type or "")
        or TOWERS.get(model.family or "")
    )
    if tower is not None and model.text_model_type not in _OTHER_TOWERS:
        return tower(sizes), None
    return plain.list_tensors(sizes), "the vision tower is counted as a plain transformer"
