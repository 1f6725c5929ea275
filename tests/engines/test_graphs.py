"""Which CUDA graphs vLLM captures, and in which releases its pool makes room for them."""

from __future__ import annotations

import pytest

from launchplan import api
from launchplan.engines.vllm.graphs import captured, early_graphs, graphs_counted
from launchplan.engines.vllm.view import VllmView

DENSE, HYBRID, MOE = "meta-llama/Llama-3.1-8B", "Qwen/Qwen3.5-27B", "Qwen/Qwen3-30B-A3B"
ASKED = "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS"
SECOND = "VLLM_USE_V2_MODEL_RUNNER"


def view_of(command: str, version: str, gpu: str = "h100-sxm", env: dict[str, str] | None = None) -> VllmView:
    report = api.lint(
        f"vllm serve {command}",
        gpu=gpu,
        nodes=1,
        gpus_per_node=8,
        version=version,
        env=env or {},
        memory=False,
    )
    assert report.plan is not None
    found = report.plan.views[0]
    assert isinstance(found, VllmView)
    return found


@pytest.mark.parametrize(
    ("command", "version", "env", "expected"),
    [
        (DENSE, "0.17.1", {ASKED: "1"}, False),
        (DENSE, "0.19.1", {}, False),
        (DENSE, "0.19.1", {ASKED: "1"}, True),
        (DENSE, "0.20.0", {}, True),
        (DENSE, "0.20.0", {ASKED: "0"}, False),
        (DENSE, "0.22.0", {}, True),
        ("Qwen/Qwen3-32B", "0.22.0", {}, False),
        ("Qwen/Qwen3-32B-FP8", "0.22.0", {}, True),
        (DENSE, "0.23.0", {}, False),
        ("Qwen/Qwen3-32B-FP8", "0.24.0", {}, False),
        (DENSE, "0.24.0", {SECOND: "0"}, True),
        ("google/gemma-4-31B-it", "0.24.0", {}, True),
        ("google/gemma-4-31B-it", "0.25.0", {}, False),
        (HYBRID, "0.25.0", {}, True),
        (MOE, "0.28.0", {}, True),
        (MOE, "0.28.0", {SECOND: "1"}, False),
        (DENSE, "0.29.0", {}, True),
        (DENSE, "0.33.0", {}, True),
    ],
)
def test_the_pool_makes_room_for_graphs(
    command: str, version: str, env: dict[str, str], *, expected: bool
) -> None:
    assert graphs_counted(view_of(command, version, env=env)) is expected


@pytest.mark.parametrize(("version", "expected"), [("0.25.0", False), ("0.26.0", True)])
def test_on_amd_later(version: str, *, expected: bool) -> None:
    assert graphs_counted(view_of(HYBRID, version, gpu="mi300x")) is expected


@pytest.mark.parametrize(("version", "expected"), [("0.10.2", True), ("0.19.1", True), ("0.20.0", False)])
def test_old_drivers_run_old_releases(version: str, *, expected: bool) -> None:
    assert early_graphs(view_of(DENSE, version)) is expected


@pytest.mark.parametrize(
    ("more", "version", "mode", "expected"),
    [
        ("", "0.33.0", "FULL_AND_PIECEWISE", (51, 86)),
        ("", "0.33.0", "PIECEWISE", (51, 51)),
        ("", "0.10.2", None, (67, 67)),
        ("--enable-lora", "0.33.0", "FULL_AND_PIECEWISE", (51, 172)),
        ("--enable-lora", "0.11.0", "PIECEWISE", (67, 67)),
        ("--enforce-eager", "0.33.0", None, (0, 0)),
        ("--cudagraph-capture-sizes 1 2 4", "0.33.0", "FULL_AND_PIECEWISE", (3, 6)),
        ("--compilation-config.cudagraph_mode PIECEWISE", "0.20.0", None, (51, 51)),
    ],
)
def test_graphs_are_counted(more: str, version: str, mode: str | None, expected: tuple[int, int]) -> None:
    assert captured(view_of(f"{DENSE} {more}", version), mode, 256, 0) == expected
