"""Rules about number formats and the GPUs that run them."""

from __future__ import annotations

from launchplan.rules.formats import (
    format_is_native,
    format_needs_gpu,
    fp8_kv_on_rocm,
    kv_dtype_has_backend,
    kv_dtype_known,
    kv_dtype_matches,
    kv_dtype_needs_gpu,
    sparse_attention_needs_gpu,
)

RULES = (
    format_needs_gpu.check,
    format_is_native.check,
    fp8_kv_on_rocm.check,
    kv_dtype_known.check,
    kv_dtype_matches.check,
    kv_dtype_has_backend.check,
    sparse_attention_needs_gpu.check,
    kv_dtype_needs_gpu.check,
)
