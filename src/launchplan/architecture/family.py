"""What is told of a family of models: its names, and what its config keys mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from launchplan.architecture import attention, moe
from launchplan.architecture.fields import Fields

if TYPE_CHECKING:
    from launchplan.architecture.types import LinearKind

AttentionLayers = Callable[[Fields, int], attention.Kinds]
MlpLayers = Callable[[Fields, int], moe.Kinds]


@dataclass(frozen=True, slots=True)
class Family:
    """What the keys of a group of architectures mean."""

    name: str
    architectures: tuple[str, ...]
    """Class names in `architectures`, of the whole model or of its text part."""
    model_types: tuple[str, ...]
    """`model_type` of the text config; decides when no class name does."""
    attention: AttentionLayers = attention.all_full
    mlp: MlpLayers = moe.all_dense
    mla: bool = False
    linear: LinearKind | None = None
    dense_width: str | None = "intermediate_size"
    """Key of the dense MLP's width; None when it differs by layer."""
    expert_width: str | None = None
    """Key of an expert's width where it is not `moe_intermediate_size`."""
    dense_beside_experts: bool = False
    """A MoE layer also has a dense MLP, run next to its experts."""
    one_shared_expert: bool = False
    """Each MoE layer has one shared expert though no key counts it."""
