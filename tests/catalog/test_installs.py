"""How an engine's release is installed: the commands of each vendor, and what is not known."""

from __future__ import annotations

import pytest

from launchplan.catalog import engine_install

VENV = ("uv venv --python 3.12", "source .venv/bin/activate")
VARIANT = "${VLLM_ROCM_VARIANT:?}"
ROCM = "https://wheels.vllm.ai/rocm"


@pytest.mark.parametrize(
    ("engine", "version", "vendor", "commands"),
    [
        (
            "vllm",
            "v0.33.0",
            "nvidia",
            ("uv pip install vllm==0.33.0 --torch-backend=auto", "vllm download-kernels"),
        ),
        ("vllm", "0.27.1", "nvidia", ("uv pip install vllm==0.27.1 --torch-backend=auto",)),
        (
            "vllm",
            "0.18.0",
            "amd",
            (f"uv pip install vllm==0.18.0+rocm700 --extra-index-url {ROCM}/0.18.0/rocm700",),
        ),
        (
            "vllm",
            "0.20.2",
            "amd",
            (f"uv pip install vllm==0.20.2+rocm721 --extra-index-url {ROCM}/0.20.2/rocm721",),
        ),
        (
            "vllm",
            "0.30.0",
            "amd",
            (f"uv pip install vllm==0.30.0+rocm723 --extra-index-url {ROCM}/0.30.0/rocm723",),
        ),
        (
            "vllm",
            "0.33.0",
            "amd",
            (
                "export VLLM_ROCM_VARIANT=",
                f'uv pip install "vllm==0.33.0+{VARIANT}" --extra-index-url "{ROCM}/0.33.0/{VARIANT}"',
            ),
        ),
        ("sglang", "0.5.23", "nvidia", ("uv pip install --prerelease=allow sglang==0.5.23",)),
        ("sglang", "0.5.9", "nvidia", ("uv pip install sglang==0.5.9",)),
    ],
)
def test_commands(engine: str, version: str, vendor: str, commands: tuple[str, ...]) -> None:
    known = engine_install(engine, version, vendor)
    assert known is not None
    assert known.commands == (*VENV, *commands)


def test_sglang_has_no_wheels_for_rocm() -> None:
    known = engine_install("sglang", "0.5.23", "amd")
    assert known is not None
    assert known.commands == ()
    assert known.notes == ("SGLang publishes no wheels for ROCm; without an image it is built from source",)


@pytest.mark.parametrize(
    ("engine", "version", "vendor"),
    [
        ("vllm", "nightly", "nvidia"),
        ("vllm", "0.33.0+ours", "nvidia"),
        ("vllm", "0.33.0rc1", "nvidia"),
        ("vllm", "0.13.0", "amd"),
        ("vllm", "0.33.0", "google"),
        ("other", "1.0", "amd"),
    ],
)
def test_what_nobody_tells_is_unknown(engine: str, version: str, vendor: str) -> None:
    assert engine_install(engine, version, vendor) is None
