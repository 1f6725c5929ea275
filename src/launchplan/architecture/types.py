"""The frozen values that `read_architecture` returns; `None` always means "the config does not say"."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Scalar: TypeAlias = "int | float | bool | str | None"
AttentionKind: TypeAlias = Literal["mha", "gqa", "mqa", "mla"]
AttentionLayer: TypeAlias = Literal[
    "full", "sliding", "chunked", "mla", "gdn", "kda", "mamba2", "conv", "none"
]
MlpLayer: TypeAlias = Literal["dense", "moe", "none"]
LinearKind: TypeAlias = Literal["gdn", "kda", "mamba2", "conv"]
Format: TypeAlias = Literal["none", "fp8", "mxfp8", "nvfp4", "mxfp4", "int4", "int8"]

LINEAR_KINDS: frozenset[str] = frozenset({"gdn", "kda", "mamba2", "conv"})


@dataclass(frozen=True, slots=True)
class LayerKind:
    """One decoder layer: what mixes tokens, and what follows it."""

    attention: AttentionLayer
    mlp: MlpLayer


@dataclass(frozen=True, slots=True)
class Rope:
    """Rotary position scaling; of a config with one entry a layer type, the full attention layers' one."""

    type: str | None
    factor: float | None
    original_max_position_embeddings: int | None


@dataclass(frozen=True, slots=True)
class Mla:
    """Multi-head latent attention: one compressed KV vector of kv_lora_rank + qk_rope_head_dim a token."""

    q_lora_rank: int | None
    kv_lora_rank: int | None
    qk_nope_head_dim: int | None
    qk_rope_head_dim: int | None
    v_head_dim: int | None


@dataclass(frozen=True, slots=True)
class Moe:
    """The routed and shared experts of the MoE layers."""

    num_experts: int
    experts_per_token: int | None
    intermediate_size: int | None
    """Width of one routed expert."""
    shared_experts: int
    """How many experts see every token."""
    shared_intermediate_size: int | None
    """Width of all shared experts together; None without any, or when the config does not say."""
    num_groups: int | None
    """Groups the router picks from (`n_group`), not parallel groups."""
    top_groups: int | None
    latent_size: int | None
    """Width the routed experts work in when it is not the hidden size."""


@dataclass(frozen=True, slots=True)
class LinearAttention:
    """The layers with a state in place of a KV cache: Gated DeltaNet, KDA, Mamba2 or a short convolution."""

    kind: LinearKind
    num_key_heads: int | None
    num_value_heads: int | None
    """The heads that tensor parallelism splits; for Mamba2 its heads, for a convolution its channels."""
    key_head_dim: int | None
    value_head_dim: int | None
    num_groups: int | None
    """Mamba2's groups of B and C; None for the others."""
    state_size: int | None
    """Mamba2's state per channel; None for the others, whose state is key_head_dim x value_head_dim."""
    conv_kernel: int | None
    state_dtype: str | None


@dataclass(frozen=True, slots=True)
class Vision:
    """The vision tower."""

    hidden_size: int | None
    num_layers: int | None
    num_heads: int | None


@dataclass(frozen=True, slots=True)
class Quantization:
    """How the weights are stored, and what vLLM 0.33.0 calls it."""

    method: str | None
    """The engine's name of the method; None when it loads the checkpoint as unquantized."""
    formats: tuple[Format, ...]
    """Every weight format found, the smallest first; empty when the config names none that is known."""
    quant_method: str | None = None
    """`quant_method` as the checkpoint writes it."""
    quant_algo: str | None = None
    weight_block_size: tuple[int, ...] | None = None
    group_size: int | None = None
    activation_scheme: str | None = None
    kv_cache_quant_algo: str | None = None
    ignore: tuple[str, ...] = ()
    """Patterns of the modules that stay unquantized."""
    separate_file: bool = False
    """The settings stand in `hf_quant_config.json`, not in the config itself."""
    w4a16_experts: bool = False
    """ModelOpt stores experts as NVFP4 that are multiplied with 16-bit activations."""
    modules: tuple[tuple[str, Format], ...] = ()
    """Modules with a format of their own, by name; `*` stands for any expert or layer number."""
    scale_bytes: int | None = None
    """Size of one scale where the settings state it."""

    @property
    def format(self) -> Format | None:
        """The smallest weight format: the one that decides which GPUs run it; None when unknown."""
        return self.formats[0] if self.formats else None

    @property
    def is_quantized(self) -> bool:
        """Whether any weight is stored below 16 bits (an unknown format counts as quantized)."""
        return self.formats != ("none",)


@dataclass(frozen=True, slots=True)
class Architecture:
    """A model as its config describes it.

    Sizes are those of the text model, under their Hugging Face names where there is one name for all.
    """

    architectures: tuple[str, ...]
    model_type: str | None
    text_model_type: str | None
    family: str | None
    """Row of `families.FAMILIES` that says what the keys mean; None for an unknown architecture."""
    hidden_size: int | None
    num_hidden_layers: int | None
    num_attention_heads: int | None
    num_key_value_heads: int | None
    head_dim: int | None
    v_head_dim: int | None
    """Head size of the values where it differs from head_dim, else head_dim."""
    vocab_size: int | None
    intermediate_size: int | None
    """`intermediate_size` as written, which in some families is the width of an expert."""
    dense_intermediate_size: int | None
    """Width of the dense MLPs; None when there are none or it differs by layer."""
    tie_word_embeddings: bool | None
    dtype: str | None
    max_position_embeddings: int | None
    rope: Rope | None
    derived_max_model_len: int | None
    """The longest context that vLLM 0.33.0 derives, in tokens; see `context.derived_max_model_len`."""
    sliding_window: int | None
    attention_kind: AttentionKind | None
    sparse_indexer: bool
    """Has a DeepSeek sparse attention indexer, which caches keys of its own."""
    mla: Mla | None
    layers: tuple[LayerKind, ...]
    """One entry a decoder layer; empty when the config does not say enough."""
    moe: Moe | None
    linear_attention: LinearAttention | None
    mtp_layers: int | None
    """Multi-token-prediction layers that the config declares; None when it does not mention them."""
    is_multimodal: bool
    vision: Vision | None
    quantization: Quantization
    unknown: tuple[str, ...] = ()
    """Names of the fields above that the config leaves open and that this kind of model needs."""
    dims: Mapping[str, Scalar] = field(default_factory=lambda: MappingProxyType({}), hash=False, repr=False)
    """Every scalar of the text config by Hugging Face key; nested ones dotted, `vision_config.*` too."""
    lists: Mapping[str, tuple[Scalar, ...]] = field(
        default_factory=lambda: MappingProxyType({}), hash=False, repr=False
    )
    """Lists of scalars likewise; a list of mappings is turned into one list a key (`block_configs.…`)."""

    def __hash__(self) -> int:
        """Hash what tells models apart: many figures are remembered by model, and all fields take long."""
        made = self.quantization
        sizes = (self.hidden_size, self.num_hidden_layers, self.vocab_size, self.intermediate_size)
        return hash((self.architectures, sizes, made.method, made.quant_method, made.formats))

    @property
    def known(self) -> bool:
        """Whether the architecture is in a family table, so that its keys have a sure meaning."""
        return self.family is not None

    @property
    def is_moe(self) -> bool:
        """Whether any layer has routed experts."""
        return self.moe is not None

    @property
    def is_mla(self) -> bool:
        """Whether the KV cache holds latent vectors, which tensor parallelism does not split."""
        return self.attention_kind == "mla"

    @property
    def is_hybrid(self) -> bool:
        """Whether some layers keep a recurrent state next to the KV cache of the others."""
        return self.linear_attention is not None

    def count_attention(self, *kinds: AttentionLayer) -> int:
        """Count the layers whose attention is one of these kinds."""
        return sum(layer.attention in kinds for layer in self.layers)

    def count_mlp(self, *kinds: MlpLayer) -> int:
        """Count the layers whose MLP is one of these kinds."""
        return sum(layer.mlp in kinds for layer in self.layers)
