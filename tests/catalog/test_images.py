"""Published images: which one holds a release for a GPU, and when none is known."""

from __future__ import annotations

import pytest

from launchplan import catalog
from launchplan.catalog import engine_image, router_image


@pytest.mark.parametrize(
    ("engine", "version", "gpu", "expected"),
    [
        ("vllm", "0.33.0", "b300", "vllm/vllm-openai:v0.33.0"),
        ("vllm", "0.33.0", "gb300", "vllm/vllm-openai:v0.33.0"),
        ("vllm", "v0.27.1", "h200", "vllm/vllm-openai:v0.27.1"),
        ("vllm", "0.33.0", "mi355x", "vllm/vllm-openai-rocm:v0.33.0"),
        ("vllm", "0.11.2", "mi300x", None),
        ("sglang", "0.5.23", "h200", "lmsysorg/sglang:v0.5.23"),
        ("sglang", "0.5.20", "mi355x", "lmsysorg/sglang:v0.5.20-rocm724-mi35x"),
        ("sglang", "0.5.18", "mi355x", "lmsysorg/sglang:v0.5.18-rocm720-mi35x"),
        ("sglang", "0.5.18", "mi300x", "lmsysorg/sglang:v0.5.18-rocm720-mi30x"),
        ("sglang", "nightly", "h200", None),
        ("vllm", "0.33.0+ours", "h200", None),
        ("vllm", "0.33.0rc1", "h200", None),
        ("vllm", "0.33.0+cu129", "h200", None),
        ("sglang", "0.5.1", "h200", None),
        ("vllm", "0.33.0", "gaudi3", None),
        ("vllm", "0.33.0", "tpu-v6e", None),
    ],
)
def test_engine_image(engine: str, version: str, gpu: str, expected: str | None) -> None:
    known = catalog.gpu(gpu)
    assert known is not None
    assert engine_image(engine, version, known) == expected


def test_no_image_for_an_unknown_gpu() -> None:
    assert engine_image("vllm", "0.33.0", None) is None


def test_router_images() -> None:
    assert router_image("vllm-router") == "vllm/vllm-router:nightly"
    assert router_image("sglang-router") == "lmsysorg/sgl-model-gateway:v0.3.2"
    assert router_image("another") is None
