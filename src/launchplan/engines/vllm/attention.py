"""What a layer asks of an attention backend of vLLM 0.33.0, and what a backend lacks for it.

The questions are those of `vllm/v1/attention/backend.py:279` (`validate_configuration`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Capability = tuple[int, int]
PLAIN = frozenset({"auto", "float16", "bfloat16"})
"""KV cache types that are those of the model."""


@dataclass(frozen=True, slots=True)
class Layer:
    """What one kind of attention layer asks of a backend."""

    head_size: int
    """Of latent attention: kv_lora_rank + qk_rope_head_dim."""
    kv_dtype: str
    capability: Capability
    dtype: str = "bfloat16"
    block_size: int | None = None
    """As the command says it; None where the engine chooses."""
    mla: bool = False
    sparse: bool = False
    sinks: bool = False
    sliding: bool = False
    mm_prefix: bool = False
    """Image tokens see each other in both directions."""
    pcp: bool = False
    dcp: bool = False
    heads: int = 1
    """Query heads of a rank."""
    nope_dim: int | None = None
    rope_dim: int | None = None
    value_dim: int | None = None
    lora_rank: int | None = None
    index_topk: int | None = None
    dcp_size: int = 1
    cubins: bool = False
    """FlashInfer's ready-made kernels are installed (`vllm download-kernels`)."""
    fa4_everywhere: bool = False
    """The model's heads differ in size, for which vLLM takes FlashAttention 4 throughout."""


@dataclass(frozen=True, slots=True)
class Backend:
    """What one backend can do."""

    name: str
    source: str
    """File under `vllm/v1/attention/backends/` and line."""
    capability: tuple[Capability, Capability] = ((7, 0), (99, 9))
    """First and last compute capability."""
    kv_dtypes: frozenset[str] = PLAIN
    blocks: tuple[int, ...] = (16,)
    """An explicit block size must be a multiple of one of these."""
    head_sizes: tuple[int, ...] = ()
    """Empty: any."""
    dtypes: tuple[str, ...] = ("float16", "bfloat16")
    mla: bool = False
    sparse: bool = False
    sinks: bool = False
    sliding: bool = False
    mm_prefix: bool = False
    dcp: bool = False
    more: Callable[[Layer], str | None] | None = None
    """What this backend asks besides."""


def reasons(backend: Backend, layer: Layer) -> tuple[str, ...]:
    """List what a backend lacks for a layer; empty when it serves it."""
    first, last = backend.capability
    found = [
        text
        for lacks, text in (
            (layer.mla and not backend.mla, "no latent attention"),
            (backend.mla and not layer.mla, "latent attention only"),
            (layer.sparse and not backend.sparse, "no sparse attention"),
            (backend.sparse and not layer.sparse, "sparse attention only"),
            (not first <= layer.capability <= last, f"compute capability {_span(first, last)} only"),
            (bool(backend.head_sizes) and layer.head_size not in backend.head_sizes, _heads(backend)),
            (layer.kv_dtype not in backend.kv_dtypes, f"no {layer.kv_dtype} KV cache"),
            (layer.dtype not in backend.dtypes, f"no {layer.dtype}"),
            (not _takes_block(backend, layer.block_size), f"block sizes in steps of {_steps(backend)}"),
            (layer.sinks and not backend.sinks, "no attention sinks"),
            (layer.sliding and not backend.sliding, "no sliding window"),
            (layer.mm_prefix and not backend.mm_prefix, "no two-way attention over images"),
            (layer.pcp and not layer.mla, "no prefill context parallelism"),
            (layer.dcp and not backend.dcp, "no decode context parallelism"),
        )
        if lacks
    ]
    special = backend.more(layer) if backend.more is not None and not found else None
    return tuple(found if special is None else [*found, special])


def _takes_block(backend: Backend, size: int | None) -> bool:
    return size is None or size == 0 or any(size % step == 0 for step in backend.blocks)


def _steps(backend: Backend) -> str:
    return " or ".join(str(step) for step in backend.blocks)


def _span(first: Capability, last: Capability) -> str:
    low = f"{first[0]}.{first[1]}"
    if last[0] == 99:
        return f"{low} and up"
    return f"{first[0]}.x" if last[1] == 9 and first == (last[0], 0) else f"{low} to {last[0]}.{last[1]}"


def _heads(backend: Backend) -> str:
    return f"head sizes {', '.join(str(size) for size in backend.head_sizes)} only"
