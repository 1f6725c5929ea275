"""What a Hugging Face `config.json` says about a model: dimensions, layers by kind, quantization."""

from __future__ import annotations

from launchplan.architecture.read import read_architecture
from launchplan.architecture.types import (
    Architecture,
    LayerKind,
    LinearAttention,
    Mla,
    Moe,
    Quantization,
    Rope,
    Vision,
)

__all__ = [
    "Architecture",
    "LayerKind",
    "LinearAttention",
    "Mla",
    "Moe",
    "Quantization",
    "Rope",
    "Vision",
    "read_architecture",
]
