"""A model as SGLang's `ModelConfig` sees it (`configs/model_config.py`, 0.5.23)."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.architecture import Architecture
from launchplan.engines.sglang.settings import classes

TOWER_LAYERS, TOWER_WIDTH = 24, 1024
"""The vision encoder of a configuration that says nothing of it (`memory_hook.py:440`)."""


@dataclass(frozen=True, slots=True)
class HfModel:
    """The facts of a checkpoint's configuration that resolution asks for."""

    architecture: Architecture
    name: str
    """The first entry of `architectures`."""
    is_mla: bool
    """Attention runs on latent vectors, for SGLang's choice of backends (`model_config.py:1356`)."""
    is_dsa: bool
    """DeepSeek sparse attention (`model_config.py:191`)."""
    is_multimodal: bool
    """Served with its towers, when nothing is said about it (`model_config.py:789`)."""
    config_method: str | None
    """`quant_method` of config.json, ModelOpt's spelled out (`model_config.py:1838`)."""
    method: str | None
    """The method that SGLang detects, `hf_quant_config.json` included."""

    @property
    def model_type(self) -> str | None:
        """`model_type` of the outermost configuration."""
        return self.architecture.model_type

    def number(self, key: str, default: int | None = None) -> int | None:
        """Give a number of the configuration."""
        value = self.architecture.dims.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else default

    @property
    def tower(self) -> tuple[int, int] | None:
        """Layers and width of the vision encoder as the memory budget sees them (`memory_hook.py:432`)."""
        nested = self.model_type in classes.NESTED_TYPES
        if not nested and not any(key.startswith("vision_config.") for key in self.architecture.dims):
            return None
        if self.model_type in classes.UNREAD_TOWERS:
            return TOWER_LAYERS, TOWER_WIDTH
        layers = self.number("vision_config.num_hidden_layers") or self.number(
            "vision_config.vt_num_hidden_layers"
        )
        hidden = self.number("vision_config.hidden_size") or self.number("vision_config.vt_hidden_size")
        return layers or TOWER_LAYERS, hidden or TOWER_WIDTH

    @property
    def context_length(self) -> int | None:
        """The longest context that the configuration allows, in tokens."""
        return self.architecture.derived_max_model_len

    @property
    def fp4_experts(self) -> bool | None:
        """Experts stored as MXFP4 among other formats; None when only the weights tell."""
        stored = self.architecture.quantization
        return "mxfp4" in stored.formats and stored.quant_method == "fp8"

    @property
    def nvfp4_experts(self) -> bool:
        """Hybrid checkpoint with NVFP4 experts (`model_config.py:776`)."""
        stored = self.architecture.quantization
        mixed = (stored.quant_algo or "").upper() == "MIXED_PRECISION"
        return mixed and stored.quant_method == "fp8" and "nvfp4" in stored.formats

    @property
    def packed_experts(self) -> bool:
        """MXFP8 checkpoint with packed NVFP4 experts (`arg_groups/model_overrides/minimax_m3.py:18`)."""
        return self.config_method == "mxfp8" and "nvfp4" in self.architecture.quantization.formats

    @property
    def uses_kda(self) -> bool:
        """Has Kimi delta attention layers (`model_config.py:230`)."""
        linear = self.architecture.linear_attention
        return linear is not None and linear.kind == "kda"

    @property
    def is_deepseek_v4(self) -> bool:
        """`model_config.py:395`."""
        return self.name.startswith("DeepseekV4ForCausalLM")

    @property
    def has_attention_sinks(self) -> bool:
        """Learned sinks in the softmax (`model_config.py:1273`)."""
        if self.name in classes.SINKS:
            return True
        dims = self.architecture.dims
        keys = ("add_swa_attention_sink_bias", "add_full_attention_sink_bias")
        if self.name in classes.MIMO_V2:
            return any(dims.get(key) is True for key in keys)
        return dims.get("learnable_sink") is True

    @property
    def has_asymmetric_kv(self) -> bool:
        """Keys and values of different width (`model_config.py:1263`)."""
        head = self.number("head_dim") or self.architecture.head_dim
        value = self.number("v_head_dim") or head
        window = self.number("swa_head_dim") or head
        return head != value or window != (self.number("swa_v_head_dim") or window)


def read_model(model: Architecture, *, multimodal: bool | None, text_only: bool) -> HfModel | None:
    """Read an architecture as SGLang does; None when no class is named.

    `multimodal` is `--enable-multimodal`, `text_only` is `--language-model-only`.
    """
    if not model.architectures:
        return None
    name = model.architectures[0]
    return HfModel(
        architecture=model,
        name=name,
        is_mla=_is_mla(name, model),
        is_dsa=name in classes.SPARSE and model.dims.get("index_topk") is not None,
        is_multimodal=_served_with_towers(name, model, multimodal) and not text_only,
        config_method=None if model.quantization.separate_file else _method(model),
        method=_method(model),
    )


def _is_mla(name: str, model: Architecture) -> bool:
    if name == "PixtralForConditionalGeneration":
        return model.dims.get("kv_lora_rank") is not None
    return name in classes.LATENT


def _served_with_towers(name: str, model: Architecture, wanted: bool | None) -> bool:
    if wanted is None:
        if name in classes.TEXT_BY_DEFAULT:
            return False
        if name == "MiMoV2ForCausalLM":
            return model.vision is not None and any(key.startswith("audio_config.") for key in model.dims)
    elif not wanted:
        return False
    # A text configuration of its own counts as multimodal whatever the class.
    nested = model.model_type != model.text_model_type or model.model_type in classes.NESTED_TYPES
    return nested or name in classes.MULTIMODAL


def _method(model: Architecture) -> str | None:
    """Name the checkpoint's format; ModelOpt's algorithm decides (`model_config.py:1838`)."""
    stored = model.quantization
    written, algorithm = stored.quant_method, stored.quant_algo
    if written not in {None, "modelopt"} or algorithm is None:
        return written
    if algorithm == "MIXED_PRECISION":
        return "modelopt_mixed" if "nvfp4" in stored.formats else "w4afp8"
    if "FP4" in algorithm:
        return "modelopt_fp4"
    return {"FP8": "modelopt_fp8", "MXFP8": "mxfp8"}.get(algorithm, written)
