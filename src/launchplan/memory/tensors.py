"""What the memory room counts: tensors by name, shape and class, and how ranks share them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "embedding",
    "lm_head",
    "attention",
    "mla",
    "indexer",
    "compressor",
    "linear_attention",
    "router",
    "experts",
    "shared_experts",
    "latent",
    "mlp",
    "hyper_connection",
    "norm",
    "vision",
    "projector",
]
TensorClass: TypeAlias = Kind | Literal["mtp", "buffers"]
Part: TypeAlias = Literal["text", "mtp", "vision"]
Split: TypeAlias = Literal["whole", "rows", "columns", "vocabulary", "heads"]
"""How tensor parallelism shares a tensor; `heads` gives a rank whole heads, and at least one."""
Place: TypeAlias = Literal["layer", "first", "last", "ends"]
"""The pipeline stage that holds a tensor: its layer's, the first, the last, or both of these."""


Holder: TypeAlias = Literal["checkpoint", "vllm", "sglang"]
EVERYWHERE: frozenset[Holder] = frozenset({"checkpoint", "vllm", "sglang"})


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor under the name of its module in the checkpoint, once a layer that has it."""

    name: str
    """`{}` stands for the number of the layer, `*` for the number of an expert."""
    kind: Kind
    rows: int
    """Outputs of a matrix; elements of a vector."""
    columns: int = 1
    copies: int = 1
    """How many a layer has: the routed experts."""
    layers: tuple[int, ...] | None = None
    """Decoder layers that have it, counted from 0; None for a tensor outside the layers."""
    split: Split = "whole"
    heads: int = 1
    """Heads that the rows consist of, where `split` is `heads`."""
    part: Part = "text"
    place: Place = "layer"
    quantizable: bool = False
    """Whether the settings of the checkpoint may store it in a format below 16 bits."""
    width: int | None = None
    """Bytes of an element in the checkpoint where they are not those of the model's dtype."""
    loaded_width: int | None = None
    """Bytes of an element in the engine where they differ from the dtype."""
    held_by: frozenset[Holder] = EVERYWHERE
    """Where it exists: engines keep some tensors in another shape than the checkpoint."""

    @property
    def tensor_class(self) -> TensorClass:
        """The class that reports count it under; everything of an MTP layer is `mtp`."""
        return "mtp" if self.part == "mtp" else self.kind

    @property
    def count(self) -> int:
        """How often the model has it: layers times copies."""
        return self.copies * (1 if self.layers is None else len(self.layers))

    @property
    def elements(self) -> int:
        """Elements of all its layers and copies."""
        return self.rows * self.columns * self.count


@dataclass(frozen=True, slots=True)
class Inventory:
    """Every tensor of a model."""

    tensors: tuple[Tensor, ...]
    missing: tuple[str, ...] = ()
    """Sizes that the config leaves open and without which there is no inventory."""
    uncertain: tuple[str, ...] = ()
    """What had to be taken for granted, as sentences for a report."""

    @property
    def known(self) -> bool:
        """Whether the tensors could be listed."""
        return not self.missing

    @property
    def parameters(self) -> int:
        """Parameters of the whole model, with MTP layers and vision tower."""
        return sum(tensor.elements for tensor in self.tensors if "checkpoint" in tensor.held_by)
