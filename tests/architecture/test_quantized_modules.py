"""Formats that a checkpoint gives module by module."""

from __future__ import annotations

from launchplan.architecture import read_architecture


def test_modules_keep_their_formats_and_experts_share_an_entry() -> None:
    settings = {
        "quant_method": "modelopt",
        "quant_algo": "MIXED_PRECISION",
        "quantized_layers": {
            "model.layers.0.self_attn.o_proj": {"quant_algo": "FP8"},
            "model.layers.1.mlp.experts.0.up_proj": {"quant_algo": "W4A16_NVFP4", "group_size": 16},
            "model.layers.1.mlp.experts.1.up_proj": {"quant_algo": "W4A16_NVFP4", "group_size": 16},
            "model.layers.2.mlp": {"quant_algo": "SOMETHING_NEW"},
            "model.layers.3.mlp": "FP8",
        },
    }
    read = read_architecture({"quantization_config": settings}).quantization
    assert read.modules == (
        ("model.layers.0.self_attn.o_proj", "fp8"),
        ("model.layers.1.mlp.experts.*.up_proj", "nvfp4"),
    )


def test_size_of_a_scale_is_read() -> None:
    settings = {"quant_method": "mxfp4", "scale_bytes": 4}
    assert read_architecture({"quantization_config": settings}).quantization.scale_bytes == 4
    assert (
        read_architecture({"quantization_config": {"quant_method": "mxfp4"}}).quantization.scale_bytes is None
    )
