"""How an engine cuts a model: into how many parts each group of tensors, and which layers a stage holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launchplan.memory.tensors import Kind, Tensor


# The group of ranks that splits a kind of tensor where it is not the one of the attention heads.
_GROUPS: dict[Kind, str] = {
    "embedding": "embedding",
    "lm_head": "lm_head",
    "mlp": "dense",
    "shared_experts": "shared_experts",
    "experts": "expert_parts",
    "vision": "vision",
    "projector": "vision",
}


@dataclass(frozen=True, slots=True)
class Shares:
    """The number of ranks that share each group of tensors, as one engine sets them up."""

    attention: int = 1
    """Ranks that split the heads; of one data parallel replica."""
    dense: int = 1
    """Ranks that split the dense MLPs."""
    shared_experts: int = 1
    embedding: int = 1
    lm_head: int = 1
    vision: int = 1
    expert_groups: int = 1
    """Ranks that hold different experts."""
    expert_parts: int = 1
    """Ranks that split one expert."""
    redundant_experts: int = 0

    def of(self, kind: Kind) -> int:
        """Give the ranks that split a matrix of this kind."""
        shared: int = getattr(self, _GROUPS.get(kind, "attention"))
        return shared

    def experts_of_rank(self, count: int) -> int:
        """Give the experts of the rank with the most of them, of `count` in all."""
        return ceil((count + self.redundant_experts) / self.expert_groups)


@dataclass(frozen=True, slots=True)
class Stage:
    """The decoder layers of one pipeline stage."""

    layers: frozenset[int] = field(default_factory=frozenset)
    first: bool = True
    last: bool = True

    @property
    def numbers(self) -> tuple[int, ...]:
        """The layers in order."""
        return tuple(sorted(self.layers))

    def holds(self, tensor: Tensor) -> bool:
        """Say whether a tensor outside the layers stands in this stage."""
        if tensor.place == "ends":
            return self.first or self.last
        return self.last if tensor.place == "last" else self.first

    def layers_of(self, layers: tuple[int, ...] | None, tensor: Tensor) -> int:
        """Count how often this stage holds a tensor."""
        if layers is None:
            return 1 if self.holds(tensor) else 0
        if tensor.part == "vision":
            return len(layers) if self.first else 0
        return len(self.layers.intersection(layers))


def make_stages(split: tuple[range, ...]) -> tuple[Stage, ...]:
    """Make the stages of a pipeline from the layers of each."""
    last = len(split) - 1
    return tuple(Stage(frozenset(layers), number == 0, number == last) for number, layers in enumerate(split))
