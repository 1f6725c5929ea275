"""Sizes of an architecture by key, with a name for the one that is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from launchplan.errors import LaunchplanError

if TYPE_CHECKING:
    from launchplan.architecture import Architecture


class SizeMissingError(LaunchplanError):
    """A size that an inventory needs and the config does not give."""

    def __init__(self, name: str) -> None:
        """Keep the name of the size."""
        super().__init__(f"{name} is not in the config")
        self.name = name


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of one architecture; a getter without a default raises SizeMissingError."""

    model: Architecture

    @property
    def hidden(self) -> int:
        """Width of the model."""
        return self._present("hidden_size", self.model.hidden_size)

    @property
    def vocabulary(self) -> int:
        """Tokens of the vocabulary."""
        return self._present("vocab_size", self.model.vocab_size)

    @property
    def layer_count(self) -> int:
        """Decoder layers."""
        return self._present("layers", len(self.model.layers))

    @property
    def tied(self) -> bool:
        """Whether the output layer is the embedding."""
        return bool(self.model.tie_word_embeddings)

    @property
    def queries(self) -> int:
        """Query heads."""
        return self._present("num_attention_heads", self.model.num_attention_heads)

    @property
    def keys(self) -> int:
        """KV heads."""
        return self._present("num_key_value_heads", self.model.num_key_value_heads)

    @property
    def head(self) -> int:
        """Size of a head."""
        return self._present("head_dim", self.model.head_dim)

    @property
    def dense_width(self) -> int:
        """Width of the dense MLPs."""
        return self._present("dense_intermediate_size", self.model.dense_intermediate_size)

    @property
    def experts(self) -> int:
        """Routed experts of a MoE layer."""
        return self._present("moe.num_experts", self.model.moe.num_experts if self.model.moe else None)

    @property
    def expert_width(self) -> int:
        """Width of a routed expert."""
        return self._present(
            "moe.intermediate_size", self.model.moe.intermediate_size if self.model.moe else None
        )

    @property
    def shared_width(self) -> int:
        """Width of all shared experts together, 0 without any."""
        if self.model.moe is None or not self.model.moe.shared_experts:
            return 0
        return self._present("moe.shared_intermediate_size", self.model.moe.shared_intermediate_size)

    @property
    def interleaves_indexer(self) -> bool:
        """Whether the sparse indexer rotates as the attention does; GLM's class says so by default."""
        return self.flag("indexer_rope_interleave", default=self.model.text_model_type == "glm_moe_dsa")

    def integer(self, key: str, default: int | None = None) -> int:
        """Give a positive integer by its Hugging Face key; nested keys are dotted."""
        value = self.model.dims.get(key)
        found = value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else default
        if found is None:
            raise SizeMissingError(key)
        return found

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Give a true or false by its Hugging Face key."""
        value = self.model.dims.get(key)
        return value if isinstance(value, bool) else default

    def has(self, key: str) -> bool:
        """Say whether the config holds anything but null under a key."""
        return self.model.dims.get(key) is not None

    def integers(self, key: str) -> tuple[int, ...]:
        """Give a list of integers by its key; empty when the config has none."""
        return tuple(each for each in self.model.lists.get(key, ()) if isinstance(each, int))

    def with_attention(self, kind: str) -> tuple[int, ...]:
        """Number the decoder layers whose attention is of a kind, from 0."""
        return tuple(i for i, layer in enumerate(self.model.layers) if layer.attention == kind)

    def with_mlp(self, kind: str) -> tuple[int, ...]:
        """Number the decoder layers whose MLP is of a kind, from 0."""
        return tuple(i for i, layer in enumerate(self.model.layers) if layer.mlp == kind)

    @property
    def all_layers(self) -> tuple[int, ...]:
        """The numbers of all decoder layers."""
        return tuple(range(self.layer_count))

    @property
    def dense_layers(self) -> tuple[int, ...]:
        """The decoder layers with a dense MLP."""
        return self.with_mlp("dense")

    @property
    def moe_layers(self) -> tuple[int, ...]:
        """The decoder layers with routed experts."""
        return self.with_mlp("moe")

    def _present(self, name: str, value: int | None) -> int:
        if not value:
            raise SizeMissingError(name)
        return value
