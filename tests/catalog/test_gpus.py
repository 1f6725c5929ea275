"""The GPU facts: every file, the figures that plans stand on, and the names that people type."""

from __future__ import annotations

from collections import Counter

import pytest

from launchplan.catalog.gpus import Gpu
from launchplan.catalog.load import DATA, gpu, gpus, name_key, nearest_gpu


def test_every_file_loads_under_its_own_name() -> None:
    ids = sorted(path.stem for path in (DATA / "gpus").glob("*.yaml"))
    assert ids
    assert [each.id for each in gpus()] == ids


def test_no_name_stands_for_two_gpus() -> None:
    names = Counter(name_key(name) for each in gpus() for name in (each.id, *each.aliases))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("each", gpus(), ids=lambda each: each.id)
def test_a_gpu_is_told_in_full(each: Gpu) -> None:
    assert (each.compute_capability is not None) == (each.vendor == "nvidia")
    assert (each.gfx is not None) == (each.vendor == "amd")
    assert set(each.flops_dense_tflops) == {"bf16", "int8", "fp8", "fp4"}
    assert {name.partition(".")[0] for name in each.unconfirmed} <= set(Gpu.model_fields)
    assert (
        each.memory_total_bytes is None
        or 0.85e9 < each.memory_total_bytes / each.memory_marketing_gb < 1.08e9
    )
    assert each.scale_up_domain_gpus >= 1
    assert (each.link_bytes_per_s_per_direction is None) or each.link is not None


FIGURES = {
    # bytes, GiB, bandwidth B/s, bf16, fp8, fp4 TFLOPS, link B/s, domain, a node, capability or gfx, CPU
    "h100-sxm": (85520809984, 79.65, 3.35e12, 989, 1979, None, 450e9, 8, 8, (9, 0), "x86_64"),
    "h200": (150754820096, 140.40, 4.8e12, 989, 1979, None, 450e9, 8, 8, (9, 0), "x86_64"),
    "b200": (192265846784, 179.06, 7.7e12, 2250, 4500, 9000, 900e9, 8, 8, (10, 0), "x86_64"),
    "b300": (288400343040, 268.59, 7.75e12, 2250, 4500, 14000, 900e9, 8, 8, (10, 3), "x86_64"),
    "gb200": (198674743296, 185.03, 8e12, 2500, 5000, 10000, 900e9, 72, 4, (10, 0), "aarch64"),
    "gb300": (298013687808, 277.55, 8e12, 2500, 5000, 15000, 900e9, 72, 4, (10, 3), "aarch64"),
    "mi300x": (206141652992, 191.98, 5.3e12, 1307, 2615, None, 448e9, 8, 8, "gfx942", "x86_64"),
    "mi355x": (309216170475, 287.98, 8e12, 2516, 5033, 10066, 538e9, 8, 8, "gfx950", "x86_64"),
    "gaudi3": (None, None, 3.7e12, 1835, 1835, None, 525e9, 8, 8, None, "x86_64"),
}


@pytest.mark.parametrize("name", FIGURES)
def test_figures(name: str) -> None:
    each = gpu(name)
    assert each is not None
    rates = each.flops_dense_tflops
    assert (
        each.memory_total_bytes,
        None if each.memory_gib is None else round(each.memory_gib, 2),
        each.memory_bandwidth_bytes_per_s,
        rates["bf16"],
        rates["fp8"],
        rates["fp4"],
        each.link_bytes_per_s_per_direction,
        each.scale_up_domain_gpus,
        each.gpus_per_node,
        each.capability or each.gfx,
        each.cpu_arch,
    ) == FIGURES[name]


FORMATS = {
    "a100-80gb-sxm": ("bf16", "int8"),
    "h200": ("bf16", "int8", "fp8"),
    "b200": ("bf16", "int8", "fp8", "mxfp8", "mxfp4", "nvfp4"),
    "b300": ("bf16", "fp8", "mxfp8", "mxfp4", "nvfp4"),
    "mi300x": ("bf16", "int8", "fp8_fnuz"),
    "mi355x": ("bf16", "int8", "fp8", "mxfp8", "mxfp6", "mxfp4"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats_that_the_tensor_units_execute(name: str) -> None:
    each = gpu(name)
    assert each is not None
    assert each.formats == FORMATS[name]


NAMES = {
    "a100": "a100-80gb-sxm",
    "a100-80gb": "a100-80gb-sxm",
    "a100-40gb": "a100-40gb-sxm",
    "h100": "h100-sxm",
    "h100-80gb": "h100-sxm",
    "H100": "h100-sxm",
    "NVIDIA H100 80GB HBM3": "h100-sxm",
    "NVIDIA-H100-80GB-HBM3": "h100-sxm",
    "nd_h200_v5": "h200",
    "dgx-spark": "gb10",
    "GeForce RTX 5090": "rtx-5090",
    "ironwood": "tpu-v7x",
    "B300": "b300",
    "h2000": None,
    "": None,
}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_people_type(name: str) -> None:
    each = gpu(name)
    assert (each and each.id) == NAMES[name]


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("b2000", "b200"),
        ("mi-355x", "mi355x"),
        ("gb-300", "gb300"),
        ("H100 SMX", "h100-sxm"),
        ("potato", None),
    ],
)
def test_nearest(name: str, nearest: str | None) -> None:
    assert nearest_gpu(name) == nearest
