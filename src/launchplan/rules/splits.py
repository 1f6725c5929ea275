"""Which tensor parallel sizes a model's parts can be split by, one predicate a part.

Each takes an architecture and a size and is true when the split works, and also when the architecture does
not say enough: unknown is not an error.
"""

from __future__ import annotations

from functools import lru_cache

from launchplan.architecture import Architecture
from launchplan.engines.flags import raw_flags
from launchplan.resolve import ResolvedPool
from launchplan.rules.given import switched_on

VOCABULARY_PADDING = 64
"""vLLM 0.33.0 pads the vocabulary to this (`vocab_parallel_embedding.py:DEFAULT_VOCAB_PADDING_SIZE`)."""
SPLIT_TOWERS = {
    "vllm": frozenset({"Qwen2VLForConditionalGeneration", "Qwen2_5_VLForConditionalGeneration",
                       "Qwen3VLForConditionalGeneration", "Qwen3VLMoeForConditionalGeneration",
                       "Qwen3_5ForConditionalGeneration", "Qwen3_5MoeForConditionalGeneration",
                       "MiniMaxM3SparseForConditionalGeneration"}),
    "sglang": frozenset({"Qwen3VLForConditionalGeneration", "Qwen3VLMoeForConditionalGeneration",
                         "Qwen3_5ForConditionalGeneration", "Qwen3_5MoeForConditionalGeneration",
                         "KimiK25ForConditionalGeneration"}),
}  # fmt: skip
"""Model classes whose vision tower was seen to be split by tp; others replicate it or pad its heads."""


def heads(model: Architecture, size: int) -> bool:
    """Query heads: each rank gets as many, in every layer."""
    return all(count % size == 0 for count in query_heads(model))


def query_heads(model: Architecture) -> tuple[int, ...]:
    """Give the numbers of query heads that the layers have; empty when unknown."""
    listed = model.lists.get("num_attention_heads_per_layer", ())
    counts = dict.fromkeys((model.num_attention_heads, *listed))
    return tuple(each for each in counts if isinstance(each, int) and each > 0)


def has_kv_heads(model: Architecture) -> bool:
    """Whether the KV cache is held by heads that are split, which latent attention has not."""
    if model.num_key_value_heads is None:
        return False
    if model.known or model.attention_kind is not None:
        return model.attention_kind in {"mha", "gqa", "mqa"}
    return "kv_lora_rank" not in model.dims


def kv_heads(model: Architecture, size: int) -> bool:
    """KV heads: split evenly, or each one copied evenly."""
    count = model.num_key_value_heads
    if not has_kv_heads(model) or count is None:
        return True
    return size % count == 0 if size >= count else count % size == 0


def linear_heads(model: Architecture, size: int) -> bool:
    """Heads and groups of the recurrent layers; a single group may be shared."""
    linear = model.linear_attention
    if linear is None:
        return True
    counts = [linear.num_key_heads, linear.num_value_heads]
    if linear.num_groups != 1:
        counts.append(linear.num_groups)
    return all(count is None or count % size == 0 for count in counts)


def vocabulary(model: Architecture, size: int) -> bool:
    """Rows of the embedding, padded as vLLM pads them."""
    return model.vocab_size is None or padded_vocabulary(model.vocab_size) % size == 0


def padded_vocabulary(rows: int) -> int:
    """Round a vocabulary up to vLLM's padding."""
    return -(-rows // VOCABULARY_PADDING) * VOCABULARY_PADDING


def vision_heads(pool: ResolvedPool, model: Architecture, size: int) -> bool:
    """Heads of a vision tower that is split; data parallel towers are not."""
    count = _tower_heads(pool, model)
    return count is None or count % size == 0


def _tower_heads(pool: ResolvedPool, model: Architecture) -> int | None:
    """Give the heads of a tower that is split; None where none is, or nobody says."""
    count = model.vision.num_heads if model.vision else None
    if count is None or not SPLIT_TOWERS[pool.deployment.engine] & {*model.architectures}:
        return None
    if raw_flags(pool).get("mm_encoder_tp_mode") == "data" or switched_on(pool, "mm_enable_dp_encoder"):
        return None
    return count


def working_sizes(pool: ResolvedPool, model: Architecture, most: int) -> tuple[int, ...]:
    """List the tensor parallel sizes up to one that every known part of the model can be split by, rising."""
    padded = pool.deployment.engine == "vllm"
    return _working(model, most, _tower_heads(pool, model), padded=padded)


@lru_cache(maxsize=512)  # many findings of one model name the same sizes
def _working(model: Architecture, most: int, tower_heads: int | None, *, padded: bool) -> tuple[int, ...]:
    return tuple(
        size
        for size in range(1, most + 1)
        if heads(model, size)
        and kv_heads(model, size)
        and linear_heads(model, size)
        and (tower_heads is None or tower_heads % size == 0)
        and (not padded or vocabulary(model, size))
    )
