"""Quantization, activation type and KV cache format."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.architecture import Quantization
from launchplan.catalog import EngineModels
from launchplan.catalog.engine_models import Method
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.settings.reading import text
from launchplan.engines.vllm.settings.types import ModelFacts

DTYPES = {
    "half": "float16",
    "float16": "float16",
    "float": "float32",
    "float32": "float32",
    "bfloat16": "bfloat16",
}
_AWQ = frozenset({"awq", "awq_marlin", "auto_awq", "marlin"})
_GPTQ = frozenset({"gptq", "gptq_marlin", "auto_gptq", "marlin"})
_CLAIMING = frozenset({
    "modelopt", "modelopt_fp4", "modelopt_mxfp8", "modelopt_mixed", "gpt_oss_mxfp4", "deepseek_v4_fp8", "inc",
})  # fmt: skip
"""Methods that a checkpoint decides whatever `--quantization` says."""
NO_FLOAT16 = frozenset({"gemma2", "gemma3", "gemma3_text", "glm4"})
"""Model types that are not run in float16 (vllm/config/model.py:2405)."""
AMPERE = (8, 0)
ONLINE = Method(name="online", capability=75, dtypes=("bfloat16", "float16"), without_config="online")
"""What stands for every method that quantizes at load (quantization/online/base.py:206)."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The quantization method of a launch."""

    method: str | None
    """None for unquantized weights."""
    online: bool = False
    conflict: bool = False
    """Whether `--quantization` names another method than the checkpoint's."""
    stored: bool = False
    """Whether the checkpoint has a quantization config."""


def choose_method(view: EngineView, facts: EngineModels) -> Chosen | None:
    """Choose the method (vllm/config/model.py:1395, `_verify_quantization`); None when nobody says.

    Nothing conflicts with a checkpoint whose settings were not read.
    """
    asked, model = text(view, "quantization"), view.architecture
    if model is None:
        return None
    held = model.quantization
    if held.method is None and held.formats == ("none",):
        return Chosen(asked, online=_is_online(facts, asked))
    method = _stored_method(held, asked)
    told = "quantization.method" not in model.unknown
    conflict = told and asked is not None and method not in {asked, *_family(method), *_CLAIMING}
    return Chosen(method, conflict=conflict, stored=True)


def _stored_method(held: Quantization, asked: str | None) -> str | None:
    if asked == "humming":
        return "humming"
    if asked == "deepseek_v4_fp8" and held.method == "fp8":
        return asked  # models/deepseek_v4/quant_config.py:186
    if asked == "moe_wna16" and held.method in {"awq", "gptq"}:
        return "moe_wna16"
    if held.method in {"awq", "gptq"}:
        own = _AWQ if held.method == "awq" else _GPTQ
        return f"auto_{held.method}" if asked is None or asked in own else held.method
    return "inc" if held.method == "auto-round" else held.method


def _family(method: str | None) -> frozenset[str]:
    return {"auto_awq": _AWQ, "auto_gptq": _GPTQ}.get(method or "", frozenset())


def _is_online(facts: EngineModels, asked: str | None) -> bool:
    method = facts.method(asked or "")
    return method is not None and method.without_config == "online"


def method_facts(facts: EngineModels, chosen: Chosen) -> Method | None:
    """Give what is known of the method that runs."""
    if chosen.method is None:
        return None
    return ONLINE if chosen.online else facts.method(chosen.method)


def choose_dtype(view: EngineView, model: ModelFacts) -> str | None:
    """Choose the activation type (vllm/config/model.py:2418-2510)."""
    given = text(view, "dtype")
    if given is not None and given.lower() != "auto":
        return DTYPES.get(given.lower())
    if (
        view.architecture is None
        or view.gpu is None
        or view.gpu.vendor != "nvidia"
        or view.gpu.capability is None
    ):
        return None
    supported = [name for name in ("bfloat16", "float16", "float32")
                 if (name != "bfloat16" or view.gpu.capability >= AMPERE)
                 and (name != "float16" or model.model_type not in NO_FLOAT16)]  # fmt: skip
    preferred = "float16" if model.pooling and "float16" in supported else supported[0]
    config = view.architecture.dtype or "float32"
    return config if config != "float32" and config in supported else preferred


def choose_kv_dtype(view: EngineView, model: ModelFacts) -> str | None:
    """Choose the KV cache format (vllm/utils/torch_utils.py:498, model_executor/models/config.py)."""
    given = text(view, "kv_cache_dtype") or "auto"
    if view.architecture is None:
        return given if given != "auto" else None
    name = given if given != "auto" else _kv_of_checkpoint(view.architecture.quantization)
    if model.name == "DeepseekV32ForCausalLM" and name == "bfloat16":
        return "auto"
    default = _BLACKWELL_KV.get(model.name or "")
    if name != "auto" or default is None:
        return name
    if view.gpu is None or view.gpu.vendor != "nvidia" or view.gpu.capability is None:
        return None
    sparse = model.name == "GlmMoeDsaForCausalLM" or view.architecture.sparse_indexer
    return default if view.gpu.capability[0] == 10 and sparse else name  # Blackwell's 10.x


_BLACKWELL_KV = {
    "GlmMoeDsaForCausalLM": "fp8_e4m3",
    "Glm5NextForCausalLM": "fp8",
    "Glm5NextForConditionalGeneration": "fp8",
}
"""Classes with an FP8 cache by default on data-centre Blackwell."""


def _kv_of_checkpoint(held: Quantization) -> str:
    """Give what a ModelOpt checkpoint asks for (vllm/utils/torch_utils.py:443)."""
    if not (held.method or "").startswith("modelopt"):
        return "auto"
    return {"fp8": "fp8_e4m3", "nvfp4": "nvfp4"}.get((held.kv_cache_quant_algo or "").lower(), "auto")
