"""What the settings of a checkpoint are called by the engine, and which formats they name."""

from __future__ import annotations

from typing import Any

import pytest

from launchplan.architecture import Quantization, read_architecture

INT4_GROUP = {"group_0": {"weights": {"num_bits": 4, "type": "int", "group_size": 32}}}
FP8_GROUP = {"group_0": {"weights": {"num_bits": 8, "type": "float", "block_structure": [128, 128]}}}
QUARK = {"global_quant_config": {"weight": {"dtype": "fp8_e4m3"}}}


def read(settings: dict[str, Any], **config: object) -> Quantization:
    return read_architecture({"quantization_config": settings, **config}).quantization


@pytest.mark.parametrize(
    ("settings", "config", "method", "formats"),
    [
        ({"quant_method": "fp8"}, {}, "fp8", ("fp8",)),
        ({"quant_method": "FP8"}, {}, "fp8", ("fp8",)),
        ({"quant_method": "fp8"}, {"model_type": "deepseek_v4"}, "deepseek_v4_fp8", ("fp8",)),
        (
            {"quant_method": "fp8"},
            {"model_type": "deepseek_v4", "expert_dtype": "fp4"},
            "deepseek_v4_fp8",
            ("mxfp4", "fp8"),
        ),
        ({"quant_method": "mxfp4"}, {}, "mxfp4", ("mxfp4",)),
        ({"quant_method": "mxfp4"}, {"model_type": "gpt_oss"}, "gpt_oss_mxfp4", ("mxfp4",)),
        ({"quant_method": "modelopt", "quant_algo": "FP8"}, {}, "modelopt", ("fp8",)),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, {}, "modelopt_fp4", ("nvfp4",)),
        ({"quant_method": "modelopt", "quant_algo": "MXFP8"}, {}, "modelopt_mxfp8", ("mxfp8",)),
        (
            {
                "quant_method": "modelopt",
                "quant_algo": "MIXED_PRECISION",
                "quantized_layers": {"a": {"quant_algo": "FP8"}, "b": {"quant_algo": "W4A16_NVFP4"}, "c": 1},
            },
            {},
            "modelopt_mixed",
            ("nvfp4", "fp8"),
        ),
        ({"quant_algo": "FP8", "producer": {"name": "modelopt"}}, {}, None, ("fp8",)),
        (
            {"quant_method": "compressed_tensors", "config_groups": INT4_GROUP},
            {},
            "compressed-tensors",
            ("int4",),
        ),
        (
            {"quant_method": "compressed-tensors", "config_groups": FP8_GROUP},
            {},
            "compressed-tensors",
            ("fp8",),
        ),
        (
            {
                "quant_method": "compressed-tensors",
                "format": "mxfp4-pack-quantized",
                "config_groups": {"group_0": {}},
            },
            {"model_type": "kimi_k3"},
            "mxfp4",
            ("mxfp4",),
        ),
        (
            {
                "quant_method": "compressed-tensors",
                "format": "nvfp4-pack-quantized",
                "config_groups": {"group_0": {}},
            },
            {},
            "compressed-tensors",
            ("nvfp4",),
        ),
        ({"quant_method": "awq", "bits": 4}, {}, "awq", ("int4",)),
        ({"quant_method": "gptq", "bits": 8}, {}, "gptq", ("int8",)),
        ({"quant_method": "gptq"}, {}, "gptq", ()),
        ({"quant_method": "quark"} | QUARK, {}, "quark", ("fp8",)),
        (
            {"quant_method": "quark", "layer_quant_config": {"*.experts.*": {"weight": {"dtype": "fp4"}}}}
            | QUARK,
            {},
            "quark",
            ("mxfp4", "fp8"),
        ),
        ({"quant_method": "novel"}, {}, "novel", ()),
    ],
)
def test_method_and_formats(
    settings: dict[str, Any], config: dict[str, Any], method: str | None, formats: tuple[str, ...]
) -> None:
    found = read(settings, **config)
    assert (found.method, found.formats) == (method, formats)
    assert found.format == (formats[0] if formats else None)
    assert found.is_quantized


@pytest.mark.parametrize(
    ("extra", "method", "formats"),
    [
        (
            {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4"}},
            "modelopt_fp4",
            ("nvfp4",),
        ),
        ({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8"}}, "modelopt", ("fp8",)),
        ({"quantization": {"quant_algo": "FP8"}}, None, ("fp8",)),
        ({"quantization": {}}, None, ("none",)),
    ],
)
def test_settings_in_a_file_of_their_own(
    extra: dict[str, Any], method: str | None, formats: tuple[str, ...]
) -> None:
    found = read_architecture({}, extra).quantization
    assert (found.method, found.formats) == (method, formats)


def test_the_config_wins_over_the_other_file() -> None:
    extra = {
        "quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"},
        "quant_method": "modelopt",
    }
    found = read_architecture({"quantization_config": {"quant_method": "fp8"}}, extra).quantization
    assert found == Quantization(method="fp8", formats=("fp8",), quant_method="fp8")


def test_unquantized() -> None:
    found = read_architecture({}).quantization
    assert found == Quantization(method=None, formats=("none",))
    assert not found.is_quantized


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"kv_cache_quant_algo": "FP8"}, "FP8"),
        ({"kv_cache_scheme": {"num_bits": 8, "type": "float"}}, "FP8"),
        ({"kv_cache_scheme": {"num_bits": 4, "type": "float"}}, "NVFP4"),
        ({"kv_cache_scheme": {"num_bits": 8, "type": "int"}}, None),
        ({"kv_cache_scheme": "FP8"}, None),
        ({}, None),
    ],
)
def test_kv_cache_format(settings: dict[str, Any], expected: str | None) -> None:
    assert read({"quant_method": "modelopt", **settings}).kv_cache_quant_algo == expected


def test_sizes_and_exceptions() -> None:
    settings = {"quant_method": "fp8", "weight_block_size": [128, 128], "activation_scheme": "dynamic"}
    found = read(settings | {"modules_to_not_convert": ["lm_head"]})
    assert (found.weight_block_size, found.activation_scheme, found.ignore) == (
        (128, 128),
        "dynamic",
        ("lm_head",),
    )
    grouped = read(
        {"quant_method": "compressed-tensors", "config_groups": INT4_GROUP, "ignore": ["re:.*gate"]}
    )
    assert (grouped.group_size, grouped.ignore) == (32, ("re:.*gate",))
    blocks = read({"quant_method": "compressed-tensors", "config_groups": FP8_GROUP})
    assert blocks.weight_block_size == (128, 128)
