"""Bytes of the data types that caches and states are kept in."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launchplan.architecture import Architecture

# nvfp4 keeps half a byte an element, and a byte of scale for sixteen of them.
_BYTES = {
    "float32": Fraction(4),
    "float": Fraction(4),
    "bfloat16": Fraction(2),
    "float16": Fraction(2),
    "half": Fraction(2),
    "fp8": Fraction(1),
    "fp8_e4m3": Fraction(1),
    "fp8_e5m2": Fraction(1),
    "fp8_inc": Fraction(1),
    "fp8_ds_mla": Fraction(1),
    "nvfp4": Fraction(9, 16),
    "fp4_e2m1": Fraction(1, 2),
    "int8": Fraction(1),
}
_MODEL_BYTES = Fraction(2)


def cache_bytes(dtype: str, model: Architecture) -> Fraction | None:
    """Give the bytes of a cached element; None for a type that we don't know."""
    if dtype == "auto":
        return _BYTES.get(model.dtype or "", _MODEL_BYTES)
    return _BYTES.get(dtype)
