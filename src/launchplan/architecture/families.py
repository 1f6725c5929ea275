"""The families of models whose config keys we know; everything else is unknown, and said to be."""

from __future__ import annotations

from launchplan.architecture import attention, moe
from launchplan.architecture.family import Family

FAMILIES: tuple[Family, ...] = (
    Family(
        "llama",
        (
            "LlamaForCausalLM",
            "InternLM3ForCausalLM",
            "SeedOssForCausalLM",
            "GraniteForCausalLM",
            "GlmForCausalLM",
            "Glm4ForCausalLM",
            "Glm4vForConditionalGeneration",
            "HeliumForCausalLM",
            "ArceeForCausalLM",
        ),
        ("llama", "internlm3", "seed_oss", "granite", "glm", "glm4", "glm4v_text", "helium", "arcee"),
    ),
    Family(
        "mistral",
        (
            "MistralForCausalLM",
            "Mistral3ForConditionalGeneration",
            "PixtralForConditionalGeneration",
            "Ministral3ForCausalLM",
            "Phi3ForCausalLM",
            "Starcoder2ForCausalLM",
        ),
        ("mistral", "ministral3", "phi3", "starcoder2"),
        attention=attention.uniform_window,
    ),
    Family(
        "qwen",
        (
            "Qwen2ForCausalLM",
            "Qwen3ForCausalLM",
            "Qwen2VLForConditionalGeneration",
            "Qwen2_5_VLForConditionalGeneration",
            "Qwen3VLForConditionalGeneration",
            "MiMoForCausalLM",
        ),
        (
            "qwen2",
            "qwen3",
            "qwen2_vl",
            "qwen2_vl_text",
            "qwen2_5_vl",
            "qwen2_5_vl_text",
            "qwen3_vl_text",
            "mimo",
        ),
        attention=attention.upper_window,
    ),
    Family(
        "qwen_moe",
        (
            "Qwen2MoeForCausalLM",
            "Qwen3MoeForCausalLM",
            "Qwen3VLMoeForConditionalGeneration",
            "Qwen3OmniMoeForConditionalGeneration",
            "MellumForCausalLM",
        ),
        ("qwen2_moe", "qwen3_moe", "qwen3_vl_moe_text", "qwen3_omni_moe_text", "mellum"),
        attention=attention.upper_window,
        mlp=moe.sparse_step,
    ),
    Family(
        "qwen_next",
        (
            "Qwen3NextForCausalLM",
            "Qwen3_5ForCausalLM",
            "Qwen3_5MoeForCausalLM",
            "Qwen3_5ForConditionalGeneration",
            "Qwen3_5MoeForConditionalGeneration",
            "InternS2PreviewForConditionalGeneration",
        ),
        ("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"),
        attention=attention.gdn_hybrid,
        mlp=moe.sparse_step,
        linear="gdn",
    ),
    Family(
        "mixtral",
        ("MixtralForCausalLM",),
        ("mixtral",),
        attention=attention.uniform_window,
        mlp=moe.all_moe,
        expert_width="intermediate_size",
    ),
    Family(
        "gpt_oss",
        ("GptOssForCausalLM",),
        ("gpt_oss",),
        attention=attention.alternating,
        mlp=moe.all_moe,
        expert_width="intermediate_size",
    ),
    Family(
        "deepseek",
        ("DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM", "KimiK25ForConditionalGeneration"),
        ("deepseek_v2", "deepseek_v3", "kimi_k2"),
        attention=attention.all_mla,
        mlp=moe.first_dense,
        mla=True,
    ),
    Family(
        "deepseek_sparse",
        ("DeepseekV32ForCausalLM", "GlmMoeDsaForCausalLM"),
        ("deepseek_v32", "glm_moe_dsa"),
        attention=attention.all_mla,
        mlp=moe.first_dense,
        mla=True,
    ),
    Family(
        "deepseek_v4",
        ("DeepseekV4ForCausalLM",),
        ("deepseek_v4",),
        attention=attention.all_mla,
        mlp=moe.all_moe,
        mla=True,
    ),
    Family(
        "kimi_linear",
        ("KimiLinearForCausalLM", "KimiK3ForConditionalGeneration"),
        ("kimi_linear",),
        attention=attention.kda_hybrid,
        mlp=moe.first_dense,
        mla=True,
        linear="kda",
    ),
    Family(
        "glm4_moe",
        ("Glm4MoeForCausalLM", "Glm4vMoeForConditionalGeneration"),
        ("glm4_moe", "glm4v_moe_text"),
        mlp=moe.first_dense,
    ),
    Family(
        "minimax_m2",
        ("MiniMaxM2ForCausalLM",),
        ("minimax_m2",),
        mlp=moe.all_moe,
        expert_width="intermediate_size",
    ),
    Family(
        "minimax_m3",
        ("MiniMaxM3ForCausalLM", "MiniMaxM3SparseForCausalLM", "MiniMaxM3SparseForConditionalGeneration"),
        ("minimax_m3",),
        mlp=moe.first_dense,
        dense_width="dense_intermediate_size",
        expert_width="intermediate_size",
    ),
    Family("gemma2", ("Gemma2ForCausalLM",), ("gemma2",), attention=attention.alternating),
    Family(
        "gemma3",
        ("Gemma3ForCausalLM", "Gemma3ForConditionalGeneration"),
        ("gemma3_text",),
        attention=attention.gemma3,
    ),
    Family(
        "gemma4",
        (
            "Gemma4ForCausalLM",
            "Gemma4ForConditionalGeneration",
            "Gemma4UnifiedForConditionalGeneration",
        ),
        ("gemma4_text", "gemma4_unified_text"),
        attention=attention.listed,
        mlp=moe.gemma4,
        dense_beside_experts=True,
    ),
    Family(
        "llama4",
        ("Llama4ForCausalLM", "Llama4ForConditionalGeneration"),
        ("llama4_text",),
        attention=attention.llama4,
        mlp=moe.interleaved,
        dense_width="intermediate_size_mlp",
        expert_width="intermediate_size",
        one_shared_expert=True,
    ),
    Family(
        "nemotron_h",
        ("NemotronHForCausalLM",),
        ("nemotron_h",),
        attention=attention.block_pattern,
        mlp=moe.block_pattern,
        linear="mamba2",
    ),
    Family(
        "nemotron_nas",
        ("DeciLMForCausalLM",),
        ("nemotron-nas",),
        attention=attention.pruned_blocks,
        mlp=moe.pruned_blocks,
        dense_width=None,
    ),
    Family(
        "mimo_v2",
        ("MiMoV2FlashForCausalLM", "MiMoV2ForCausalLM"),
        ("mimo_v2_flash", "mimo_v2"),
        attention=attention.mimo_v2,
        mlp=moe.first_dense,
    ),
    Family(
        "step3",
        ("Step3p5ForCausalLM", "Step3p7FlashForCausalLM", "Step3p7ForConditionalGeneration"),
        ("step3p5", "step3p7"),
        attention=attention.listed,
        mlp=moe.first_dense,
    ),
    Family(
        "hunyuan_moe",
        ("HunYuanMoEV1ForCausalLM",),
        ("hunyuan_v1_moe",),
        mlp=moe.all_moe,
        expert_width="intermediate_size",
        one_shared_expert=True,
    ),
    Family(
        "lfm2",
        ("Lfm2ForCausalLM", "Lfm2MoeForCausalLM"),
        ("lfm2", "lfm2_moe"),
        attention=attention.short_convolutions,
        mlp=moe.upper_moe,
        linear="conv",
    ),
    Family("bailing_moe", ("BailingMoeV2ForCausalLM",), ("bailing_moe_v2",), mlp=moe.first_dense),
    Family("hy_v3", ("HYV3ForCausalLM",), ("hy_v3",), mlp=moe.first_dense),
    Family("laguna", ("LagunaForCausalLM",), ("laguna",), attention=attention.listed, mlp=moe.first_dense),
    Family(
        "muse_glimmer",
        ("MuseGlimmerForCausalLM", "MuseGlimmerForConditionalGeneration"),
        ("muse_glimmer_text",),
        attention=attention.listed,
    ),
)

_BY_CLASS = {name: family for family in FAMILIES for name in family.architectures}
_BY_TYPE = {name: family for family in FAMILIES for name in family.model_types}


def find_family(
    classes: tuple[str, ...], text_classes: tuple[str, ...], text_type: str | None, *, nested: bool
) -> Family | None:
    """Find the family by class name, else by the model type of the text config.

    A class that is written but not in the table makes a model unknown whatever its type claims, unless the
    text model is a config of its own (`nested`), whose type is that of a plain text model.
    """
    for name in classes + text_classes:
        if name in _BY_CLASS:
            return _BY_CLASS[name]
    if classes and not nested:
        return None
    return _BY_TYPE.get(text_type or "")
