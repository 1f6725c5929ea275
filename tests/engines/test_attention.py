"""Which attention backend vLLM takes, as seen when its classes were built without a GPU."""

from __future__ import annotations

from typing import Any

import pytest

from launchplan.engines.vllm.attention import Layer, reasons
from launchplan.engines.vllm.attention_choice import chosen
from launchplan.engines.vllm.attention_table import BACKENDS

AMPERE, HOPPER, BLACKWELL, CONSUMER = (8, 0), (9, 0), (10, 0), (12, 0)
GQA: dict[str, Any] = {"head_size": 128}
WIDE: dict[str, Any] = {"head_size": 256}
SINKS: dict[str, Any] = {"head_size": 64, "sinks": True, "sliding": True}
MLA: dict[str, Any] = {
    "head_size": 576,
    "mla": True,
    "nope_dim": 128,
    "rope_dim": 64,
    "value_dim": 128,
    "lora_rank": 512,
}
SPARSE: dict[str, Any] = {**MLA, "sparse": True, "index_topk": 2048}
CHOICES = [
    (GQA, AMPERE, "auto", "FLASH_ATTN"),
    (GQA, AMPERE, "fp8", "FLASHINFER"),
    (GQA, HOPPER, "fp8", "FLASH_ATTN"),
    (GQA, HOPPER, "fp8_e5m2", "FLASHINFER"),
    (GQA, HOPPER, "nvfp4", "FLASHINFER"),
    (GQA, HOPPER, "fp8_ds_mla", None),
    (GQA, BLACKWELL, "auto", "FLASHINFER"),
    (GQA, BLACKWELL, "nvfp4", None),
    ({**GQA, "cubins": True}, BLACKWELL, "nvfp4", "FLASHINFER"),
    ({**GQA, "block_size": 24}, HOPPER, "auto", None),
    ({**GQA, "pcp": True}, HOPPER, "auto", None),
    ({**GQA, "dtype": "float32"}, HOPPER, "auto", "TRITON_ATTN"),
    (WIDE, CONSUMER, "fp8", "FLASHINFER"),
    (SINKS, AMPERE, "fp8", "TRITON_ATTN"),
    (SINKS, HOPPER, "fp8", "FLASH_ATTN"),
    (SINKS, HOPPER, "nvfp4", None),
    (SINKS, BLACKWELL, "auto", "FLASH_ATTN"),
    ({"head_size": 512, "fa4_everywhere": True}, AMPERE, "auto", "TRITON_ATTN"),
    ({"head_size": 512, "fa4_everywhere": True}, HOPPER, "auto", "FLASH_ATTN"),
    (MLA, AMPERE, "auto", "TRITON_MLA"),
    (MLA, HOPPER, "auto", "FLASH_ATTN_MLA"),
    (MLA, HOPPER, "fp8", "FLASHMLA"),
    (MLA, HOPPER, "fp8_e5m2", None),
    (MLA, BLACKWELL, "auto", "FLASHINFER_MLA"),
    (MLA, CONSUMER, "fp8", "TRITON_MLA"),
    (SPARSE, AMPERE, "auto", None),
    (SPARSE, HOPPER, "auto", "FLASH_ATTN_MLA_SPARSE"),
    ({**SPARSE, "dcp": True, "dcp_size": 2}, HOPPER, "auto", "FLASHMLA_SPARSE"),
    (SPARSE, HOPPER, "fp8_ds_mla", "FLASHMLA_SPARSE"),
    ({**SPARSE, "heads": 16}, BLACKWELL, "auto", "FLASH_ATTN_MLA_SPARSE_FA4"),
    ({**SPARSE, "heads": 32}, BLACKWELL, "auto", "FLASHMLA_SPARSE"),
    (SPARSE, BLACKWELL, "fp8_e4m3", "FLASHINFER_MLA_SPARSE"),
    (SPARSE, CONSUMER, "fp8", "FLASHINFER_MLA_SPARSE_SM120"),
]


@pytest.mark.parametrize(("layer", "capability", "kv_dtype", "name"), CHOICES)
def test_what_vllm_takes(
    layer: dict[str, Any], capability: tuple[int, int], kv_dtype: str, name: str | None
) -> None:
    best = chosen(Layer(capability=capability, kv_dtype=kv_dtype, **layer))
    assert (best.name if best else None) == name


@pytest.mark.parametrize(
    ("name", "layer", "capability", "lacks"),
    [
        ("FLASHMLA", GQA, HOPPER, ("latent attention only", "head sizes 320, 512, 576 only")),
        ("FLASHMLA", MLA, BLACKWELL, ("dense FlashMLA is for Hopper only",)),
        ("CUTLASS_MLA", MLA, HOPPER, ("compute capability 10.x only",)),
        ("FLASH_ATTN", SPARSE, HOPPER, ("no latent attention", "no sparse attention")),
        ("FLASH_ATTN", GQA, (7, 5), ("compute capability 8.0 and up only",)),
        ("FLEX_ATTENTION", SINKS, HOPPER, ("no attention sinks",)),
        ("TRITON_ATTN", SINKS, HOPPER, ()),
    ],
)
def test_what_a_backend_lacks(
    name: str, layer: dict[str, Any], capability: tuple[int, int], lacks: tuple[str, ...]
) -> None:
    assert reasons(BACKENDS[name], Layer(capability=capability, kv_dtype="auto", **layer)) == lacks
