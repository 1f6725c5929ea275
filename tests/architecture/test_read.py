"""Rules of single keys, and what is said of a config that does not say enough."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from launchplan.architecture import LayerKind, read_architecture
from launchplan.architecture.families import FAMILIES

LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 2,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
}


def kinds(config: dict[str, Any]) -> str:
    """Write the layers as `full/dense sliding/moe`."""
    return " ".join(f"{layer.attention}/{layer.mlp}" for layer in read_architecture(config).layers)


@pytest.mark.parametrize(
    ("changes", "kind", "kv_heads"),
    [
        ({}, "gqa", 8),
        ({"num_key_value_heads": 32}, "mha", 32),
        ({"num_key_value_heads": None}, "mha", 32),
        ({"num_key_value_heads": 1}, "mqa", 1),
        ({"architectures": ["DeepseekV3ForCausalLM"], "num_key_value_heads": 32}, "mla", 32),
    ],
)
def test_attention_kind(changes: dict[str, Any], kind: str, kv_heads: int) -> None:
    model = read_architecture(LLAMA | changes)
    assert (model.attention_kind, model.num_key_value_heads) == (kind, kv_heads)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 131072),
        ({"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, 262144),
        ({"rope_scaling": {"type": "dynamic", "factor": 1.5}}, 196608),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, 131072),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, 131072),
        ({"rope_scaling": {"type": "su", "factor": 8.0}}, 131072),
        ({"rope_scaling": {"rope_type": "longrope", "factor": 8.0}}, 131072),
        ({"rope_scaling": {"rope_type": "deepseek_yarn", "factor": 40}}, 131072),
        ({"rope_scaling": {"rope_type": "linear", "factor": None}}, 131072),
        ({"rope_parameters": {"rope_type": "linear", "factor": 4}}, 524288),
        ({"rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 8}}}, 1048576),
        ({"rope_parameters": {"rope_type": "linear", "factor": 8}, "model_type": "gemma3_text"}, 131072),
        ({"seq_length": 8192}, 8192),
        ({"n_positions": 262144}, 131072),
        ({"seq_length": 8192, "model_max_length": 500000}, 500000),
        ({"max_position_embeddings": None}, None),
    ],
)
def test_derived_max_model_len(changes: dict[str, Any], expected: int | None) -> None:
    assert read_architecture(LLAMA | changes).derived_max_model_len == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "full/dense full/dense"),
        ({"architectures": ["MistralForCausalLM"], "sliding_window": 4096}, "sliding/dense sliding/dense"),
        ({"architectures": ["MistralForCausalLM"], "sliding_window": None}, "full/dense full/dense"),
        ({"architectures": ["Qwen3ForCausalLM"], "sliding_window": 4096}, "full/dense full/dense"),
        (
            {
                "architectures": ["Qwen3ForCausalLM"],
                "sliding_window": 4096,
                "use_sliding_window": True,
                "max_window_layers": 1,
            },
            "full/dense sliding/dense",
        ),
        (
            {"architectures": ["Qwen3ForCausalLM"], "sliding_window": 4096, "use_sliding_window": True},
            "",
        ),
        ({"architectures": ["Gemma2ForCausalLM"], "sliding_window": 4096}, "sliding/dense full/dense"),
        (
            {"architectures": ["Gemma3ForCausalLM"], "sliding_window_pattern": 2, "num_hidden_layers": 3},
            "sliding/dense full/dense sliding/dense",
        ),
        (
            {"architectures": ["Gemma3ForCausalLM"], "layer_types": ["full_attention", "sliding_attention"]},
            "full/dense sliding/dense",
        ),
        ({"architectures": ["Gemma3ForCausalLM"], "layer_types": ["full_attention"]}, ""),
        ({"architectures": ["Gemma3ForCausalLM"], "layer_types": ["full_attention", "telepathy"]}, ""),
        (
            {"architectures": ["Llama4ForCausalLM"], "attention_chunk_size": 8192},
            "chunked/dense chunked/dense",
        ),
        (
            {"architectures": ["Llama4ForCausalLM"], "attention_chunk_size": 8192, "no_rope_layers": [0, 1]},
            "full/dense chunked/dense",
        ),
    ],
)
def test_attention_of_the_layers(changes: dict[str, Any], expected: str) -> None:
    assert kinds(LLAMA | changes) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"architectures": ["Qwen3MoeForCausalLM"], "num_experts": 8}, "moe moe moe moe"),
        ({"architectures": ["Qwen3MoeForCausalLM"]}, "dense dense dense dense"),
        (
            {"architectures": ["Qwen3MoeForCausalLM"], "num_experts": 8, "decoder_sparse_step": 2},
            "dense moe dense moe",
        ),
        (
            {"architectures": ["Qwen3MoeForCausalLM"], "num_experts": 8, "mlp_only_layers": [0]},
            "dense moe moe moe",
        ),
        (
            {"architectures": ["Glm4MoeForCausalLM"], "n_routed_experts": 8, "first_k_dense_replace": 1},
            "dense moe moe moe",
        ),
        (
            {
                "architectures": ["DeepseekV2ForCausalLM"],
                "n_routed_experts": 8,
                "first_k_dense_replace": 1,
                "moe_layer_freq": 2,
            },
            "dense dense moe dense",
        ),
        (
            {
                "architectures": ["GlmMoeDsaForCausalLM"],
                "n_routed_experts": 8,
                "mlp_layer_types": ["dense", "sparse", "sparse", "dense"],
            },
            "dense moe moe dense",
        ),
        ({"architectures": ["GlmMoeDsaForCausalLM"], "n_routed_experts": 8}, ""),
        (
            {"architectures": ["Llama4ForCausalLM"], "num_local_experts": 8, "interleave_moe_layer_step": 2},
            "dense moe dense moe",
        ),
        (
            {"architectures": ["Llama4ForCausalLM"], "num_local_experts": 8, "moe_layers": [3]},
            "dense dense dense moe",
        ),
        (
            {"architectures": ["NemotronHForCausalLM"], "hybrid_override_pattern": "M-*E"},
            "none dense none moe",
        ),
        (
            {
                "architectures": ["NemotronHForCausalLM"],
                "hybrid_override_pattern": "M-*E",
                "n_routed_experts": 8,
            },
            "none dense none moe",
        ),
    ],
)
def test_mlp_of_the_layers(changes: dict[str, Any], expected: str) -> None:
    layers = read_architecture(LLAMA | {"num_hidden_layers": 4} | changes).layers
    assert " ".join(layer.mlp for layer in layers) == expected


def test_kimi_counts_its_layers_from_one() -> None:
    config = LLAMA | {
        "architectures": ["KimiLinearForCausalLM"],
        "num_hidden_layers": 4,
        "linear_attn_config": {
            "kda_layers": [1, 2, 3],
            "full_attn_layers": [4],
            "num_heads": 32,
            "head_dim": 128,
        },
    }
    assert [layer.attention for layer in read_architecture(config).layers] == ["kda", "kda", "kda", "mla"]
    without = {"kda_layers": None, "full_attn_layers": [4]}
    assert (
        read_architecture(config | {"linear_attn_config": without}).layers == read_architecture(config).layers
    )


def test_unknown_architecture_keeps_its_figures_and_says_what_is_open() -> None:
    model = read_architecture(LLAMA | {"architectures": ["NovelForCausalLM"]})
    assert (model.known, model.family, model.attention_kind, model.layers) == (False, None, None, ())
    assert (model.num_attention_heads, model.num_key_value_heads, model.head_dim) == (32, 8, None)
    assert model.unknown == ("family", "attention_kind", "head_dim", "layers")


@pytest.mark.parametrize(
    ("config", "family"),
    [
        ({"model_type": "llama"}, "llama"),
        ({"architectures": ["NovelForCausalLM"], "model_type": "llama"}, None),
        ({"architectures": ["NovelVLForCausalLM"], "text_config": {"model_type": "llama"}}, "llama"),
        (
            {"architectures": ["NovelVLForCausalLM"], "llm_config": {"architectures": ["Qwen3ForCausalLM"]}},
            "qwen",
        ),
        ({"thinker_config": {"text_config": {"model_type": "qwen3_omni_moe_text"}}}, "qwen_moe"),
        ({}, None),
    ],
)
def test_family_by_class_or_by_the_type_of_a_text_config(config: dict[str, Any], family: str | None) -> None:
    assert read_architecture(config).family == family


def test_layers_of_experts_without_their_number_are_open() -> None:
    model = read_architecture(
        LLAMA | {"architectures": ["NemotronHForCausalLM"], "hybrid_override_pattern": "*E"}
    )
    assert (model.moe, model.unknown) == (None, ("moe",))


def test_experts_that_no_layer_uses_are_no_moe() -> None:
    pattern = {
        "architectures": ["NemotronHForCausalLM"],
        "hybrid_override_pattern": "*-",
        "n_routed_experts": 8,
    }
    assert not read_architecture(LLAMA | pattern).is_moe


@pytest.mark.parametrize(
    "listed",
    [
        {"hybrid_override_pattern": "*-*"},
        {"hybrid_override_pattern": "*?"},
        {"layers_block_type": ["attention", "mlp", "attention"]},
        {"layers_block_type": ["attention", "what"]},
    ],
)
def test_listed_blocks_that_do_not_match_the_layers_are_unknown(listed: dict[str, object]) -> None:
    model = read_architecture(
        LLAMA | {"architectures": ["NemotronHForCausalLM"], "num_hidden_layers": 2} | listed
    )
    # With the layers goes what they would hold: whether there is any Mamba is not known either.
    mamba = ("num_value_heads", "value_head_dim", "num_groups", "state_size", "conv_kernel")
    assert (model.layers, model.unknown) == ((), ("layers", *(f"linear_attention.{name}" for name in mamba)))


def test_empty_config_knows_nothing() -> None:
    model = read_architecture({})
    assert model.unknown == (
        "family",
        "hidden_size",
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "vocab_size",
        "derived_max_model_len",
        "attention_kind",
        "head_dim",
        "layers",
    )
    assert model.quantization.format == "none"


@pytest.mark.parametrize("value", ["32", True, 32.0, -32, 0, [32], {"value": 32}, 2**70, None])
def test_wrong_typed_dimension_is_unknown(value: object) -> None:
    model = read_architecture(LLAMA | {"num_attention_heads": value})
    assert model.num_attention_heads is None
    assert "num_attention_heads" in model.unknown


def test_absurd_layer_count_is_unknown() -> None:
    model = read_architecture(LLAMA | {"num_hidden_layers": 10**9})
    assert (model.num_hidden_layers, model.layers) == (None, ())


def test_nested_text_config_with_its_vision_tower() -> None:
    model = read_architecture(
        {
            "architectures": ["Qwen3VLForConditionalGeneration"],
            "model_type": "qwen3_vl",
            "tie_word_embeddings": True,
            "text_config": {
                **LLAMA,
                "architectures": None,
                "model_type": "qwen3_vl_text",
                "tie_word_embeddings": False,
            },
            "vision_config": {"hidden_size": 1152, "depth": 27, "num_heads": 16},
        }
    )
    assert model.vision is not None
    assert (model.vision.hidden_size, model.vision.num_layers, model.vision.num_heads) == (1152, 27, 16)
    assert (model.is_multimodal, model.tie_word_embeddings, model.hidden_size) == (True, True, 4096)
    assert model.layers == (LayerKind("full", "dense"),) * 2
    assert model.unknown == ()


KEYS = sorted(
    {
        *LLAMA,
        *("head_dim", "layer_types", "text_config", "vision_config", "quantization_config", "rope_scaling"),
        *("rope_parameters", "num_experts", "n_routed_experts", "first_k_dense_replace", "moe_layer_freq"),
        *(
            "mlp_layer_types",
            "mlp_only_layers",
            "decoder_sparse_step",
            "interleave_moe_layer_step",
            "moe_layers",
        ),
        *(
            "no_rope_layers",
            "attention_chunk_size",
            "hybrid_layer_pattern",
            "linear_attn_config",
            "kda_layers",
        ),
        *("full_attn_layers", "block_configs", "attention", "ffn", "n_heads_in_group", "ffn_mult"),
        *(
            "hybrid_override_pattern",
            "layers_block_type",
            "full_attention_interval",
            "sliding_window",
            "index_topk",
        ),
        *("quant_method", "quant_algo", "config_groups", "quantized_layers", "weights", "weight_block_size"),
        *(
            "kv_cache_scheme",
            "ignore",
            "factor",
            "rope_type",
            "global_quant_config",
            "quantization",
            "producer",
        ),
        *(
            "enable_moe_block",
            "num_local_experts",
            "max_window_layers",
            "use_sliding_window",
            "model_max_length",
        ),
    }
)
CLASSES = sorted(name for family in FAMILIES for name in family.architectures)
WORDS = (
    "full_attention",
    "linear_attention",
    "mamba",
    "sparse",
    "M*-E",
    "fp8",
    "modelopt",
    "quark",
    "NVFP4",
    "yarn",
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.integers()
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(max_size=5)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner)
    ),
    max_leaves=12,
)
CONFIGS = st.builds(
    lambda config, classes: {**config, **classes},
    st.dictionaries(st.sampled_from(KEYS), JSON, max_size=25),
    st.one_of(st.just({}), st.sampled_from(CLASSES).map(lambda name: {"architectures": [name]})),
)


@settings(max_examples=400, deadline=None)
@given(CONFIGS, st.none() | CONFIGS)
def test_never_raises_and_never_contradicts_itself(
    config: dict[str, Any], extra: dict[str, Any] | None
) -> None:
    model = read_architecture(config, extra)
    assert len(model.layers) in {0, model.num_hidden_layers}
    assert ("family" in model.unknown) is not model.known
    assert all(isinstance(name, str) for name in model.unknown)
    if any(layer.attention in {"gdn", "kda", "mamba2"} for layer in model.layers):
        assert model.is_hybrid
