"""Toolkits of the engines' releases: which driver a release needs, and when that is not known."""

from __future__ import annotations

import pytest

from launchplan.catalog import engine_toolkit, versions


@pytest.mark.parametrize(
    ("engine", "version", "vendor", "expected"),
    [
        ("vllm", "0.33.0", "nvidia", ("CUDA 13", "580")),
        ("vllm", "v0.20.0", "nvidia", ("CUDA 13", "580")),
        ("vllm", "0.19.1", "nvidia", None),
        ("sglang", "0.5.23", "nvidia", ("CUDA 13", "580")),
        ("sglang", "0.5.19", "nvidia", None),
        ("vllm", "nightly", "nvidia", None),
        ("vllm", "0.33.0+cu129", "nvidia", None),
        ("vllm", "0.33.0", "amd", None),
        ("sglang", "0.5.23", "intel", None),
    ],
)
def test_engine_toolkit(engine: str, version: str, vendor: str, expected: tuple[str, str] | None) -> None:
    found = engine_toolkit(engine, version, vendor)
    assert (found and (found.toolkit, found.driver)) == expected


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_the_newest_release_has_one(engine: str) -> None:
    assert engine_toolkit(engine, versions(engine)[-1], "nvidia") is not None
