"""What vLLM makes of the model: its class, its experts, its attention."""

from __future__ import annotations

from launchplan.architecture import Architecture
from launchplan.catalog import EngineModels
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.settings.reading import text, variable
from launchplan.engines.vllm.settings.types import ModelFacts

_EXPERT_KEYS = ("num_experts", "moe_num_experts", "n_routed_experts", "num_local_experts")
_OMNI = "MiMoV2OmniForCausalLM"
_POOLING_SUFFIXES = (
    "ForTextEncoding", "EmbeddingModel", "ForSequenceClassification", "ForTokenClassification",
    "ForAudioClassification", "ForImageClassification", "ForVideoClassification", "ClassificationModel",
    "ForRewardModeling", "RewardModel",
)  # fmt: skip
"""Ends of class names that run as pooling models (vllm/config/model.py:2346)."""


def read_model(view: EngineView, facts: EngineModels) -> ModelFacts:
    """Read the model; vllm/transformers_utils/model_arch_config_convertor.py and models/registry.py:907."""
    model = view.architecture
    if model is None:
        return ModelFacts()
    name = class_name(model)
    traits = facts.traits(name) if name else None
    return ModelFacts(
        name=name,
        traits=traits,
        model_type=model.model_type,
        text_model_type=model.text_model_type,
        heads=model.num_attention_heads,
        kv_heads=model.num_key_value_heads or (model.num_attention_heads if model.known else None),
        layers=model.num_hidden_layers,
        vocab_size=model.vocab_size,
        experts=_experts(model, facts),
        use_mla=_use_mla(view, model, facts),
        hybrid=_hybrid(model, traits),
        multimodal=None if traits is None else "multimodal" in traits,
        pooling=_pooling(view, name, traits),
    )


def class_name(model: Architecture) -> str | None:
    """Name the class that is built, after vLLM's own renamings (model_arch_config_convertor.py:547, 612)."""
    name = model.architectures[0] if model.architectures else None
    if model.model_type in {"mimo_v2", "mimo_v2_flash"} and model.vision is not None:
        return _OMNI
    layers = model.dims.get("vision_n_layers")
    if name == "DeepseekV4ForCausalLM" and isinstance(layers, int) and layers > 0:
        return "DeepseekV4ForConditionalGeneration"
    return name


def _experts(model: Architecture, facts: EngineModels) -> int | None:
    """Count the routed experts (model_arch_config_convertor.py:179)."""
    if model.moe is not None:
        return model.moe.num_experts
    for key in _EXPERT_KEYS:
        found = model.dims.get(key)
        if isinstance(found, int) and found > 0:
            return found
    default = facts.default_experts.get(model.text_model_type or "")
    if default is not None:
        return default
    return 0 if model.known else None


def _use_mla(view: EngineView, model: Architecture, facts: EngineModels) -> bool | None:
    """Tell whether attention is latent (model_arch_config_convertor.py:294, config/model.py:2068)."""
    if variable(view, "VLLM_MLA_DISABLE") or model.dims.get("is_causal") is False:
        return False
    if model.text_model_type not in facts.mla_model_types:
        return False
    compressed = bool(model.lists.get("compress_ratios")) or "compress_rates" in model.dims
    return model.dims.get("head_dim" if compressed else "kv_lora_rank") is not None


def _hybrid(model: Architecture, traits: frozenset[str] | None) -> bool | None:
    """Tell whether layers with a state stand next to attention (config/model.py:2041)."""
    if traits is None:
        return None
    if "hybrid" not in traits:
        return False
    # Only the outer configuration is looked at; that of a nested text model counts for nothing here.
    outer = model.lists.get("layer_types") if model.model_type == model.text_model_type else None
    return outer is None or not all(kind in {"attention", "full_attention"} for kind in outer)


def _pooling(view: EngineView, name: str | None, traits: frozenset[str] | None) -> bool:
    """Tell whether it runs as a pooling model (config/model.py:1317)."""
    runner, convert = text(view, "runner"), text(view, "convert")
    if runner not in {None, "auto"}:
        return runner == "pooling"
    if convert not in {None, "auto", "none"}:
        return True
    if traits is not None:
        return "pooling" in traits
    return name is not None and name.endswith(_POOLING_SUFFIXES)
