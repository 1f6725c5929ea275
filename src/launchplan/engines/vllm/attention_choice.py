"""Which attention backend vLLM 0.33.0 takes by itself (`vllm/platforms/cuda.py:68`)."""

from __future__ import annotations

from launchplan.engines.vllm.attention import PLAIN, Backend, Layer, reasons
from launchplan.engines.vllm.attention_table import BACKENDS


def chosen(layer: Layer) -> Backend | None:
    """Give the backend that vLLM takes by itself; None when none serves the layer."""
    if layer.fa4_everywhere and layer.capability[0] not in {9, 10, 11}:
        return BACKENDS["TRITON_ATTN"]  # model_executor/models/config.py:362: heads that differ, and no FA4
    return next((backend for backend in priorities(layer) if not reasons(backend, layer)), None)


def priorities(layer: Layer) -> tuple[Backend, ...]:
    """List the backends that vLLM tries, in its order."""
    major = layer.capability[0]
    if not layer.mla:
        names = _dense(layer)
    elif major == 10:
        names = (
            "FLASHINFER_MLA", "TOKENSPEED_MLA", "CUTLASS_MLA", "FLASH_ATTN_MLA", "FLASHMLA", "TRITON_MLA",
            *_sparse_on_blackwell(layer),
        )  # fmt: skip
    elif major == 12:
        names = ("TRITON_MLA", "FLASHINFER_MLA_SPARSE_SM120")
    else:
        tail: tuple[str, ...] = ("FLASH_ATTN_MLA_SPARSE", "FLASHMLA_SPARSE")
        last = "FLASHINFER_MLA_SPARSE_SM90"
        tail = (last, *tail) if layer.head_size == 512 else (*tail, last)
        names = ("FLASH_ATTN_MLA", "FLASHMLA", "FLASHINFER_MLA", "TRITON_MLA", *tail)
    return tuple(BACKENDS[name] for name in names if name in BACKENDS)


def _dense(layer: Layer) -> tuple[str, ...]:
    major = layer.capability[0]
    composite = {10: ("TRITON_FLASHINFER",), 9: ("TRITON_FLASH_ATTN",)}.get(major, ())
    pair = ("FLASHINFER", "FLASH_ATTN") if major == 10 else ("FLASH_ATTN", "FLASHINFER")
    first = composite if layer.mm_prefix else ()
    return (*first, *pair, "TRITON_ATTN", "FLEX_ATTENTION", "TURBOQUANT")


def _sparse_on_blackwell(layer: Layer) -> tuple[str, ...]:
    if layer.kv_dtype not in PLAIN:
        return ("FLASHINFER_MLA_SPARSE", "FLASHMLA_SPARSE")
    if layer.heads <= 16:
        return ("FLASH_ATTN_MLA_SPARSE_FA4", "FLASHINFER_MLA_SPARSE", "FLASHMLA_SPARSE")
    return ("FLASHMLA_SPARSE", "FLASHINFER_MLA_SPARSE")
