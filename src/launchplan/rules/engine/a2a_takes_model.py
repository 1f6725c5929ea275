"""An all-to-all exchange that was not released for this model.

## Why

DeepEP v2 and the fused FlashInfer kernel combine the experts' results themselves; SGLang keeps a list of
model classes where that was checked and refuses the others. The fused kernel reads MXFP8 and 4-bit experts
only.

## Fix

Use `moe-a2a-backend deepep`.

## References

- SGLang 0.5.23 `arg_groups/moe_hook.py:258`, `:275`, `:726`; `configs/moe_model_registry.py:23`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import first_class, fp4_experts, hybrid_nvfp4, refuse, sglang_rule

DEEPEP_V2 = frozenset({
    "DeepseekV3ForCausalLM", "DeepseekV4ForCausalLM", "Qwen3MoeForCausalLM",
    "Glm5NextForConditionalGeneration", "GlmMoeDsaForCausalLM", "MiMoV2ForCausalLM", "MiMoV2FlashForCausalLM",
})  # fmt: skip
"""Classes that DeepEP v2 was checked with (`configs/moe_model_registry.py:23`)."""
FUSED = frozenset({
    "BeamForCausalLM", "DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM", "DeepseekV32ForCausalLM",
    "DeepseekV4ForCausalLM", "Glm4MoeForCausalLM", "GlmMoeDsaForCausalLM", "NemotronHForCausalLM",
    "NemotronHPuzzleForCausalLM", "Qwen2MoeForCausalLM", "Qwen3MoeForCausalLM",
    "KimiK3ForConditionalGeneration", "KimiK3LinearForCausalLM",
})  # fmt: skip
"""Classes that the fused FlashInfer kernel was checked with (`arg_groups/moe_hook.py:240`)."""
FUSED_FORMATS = ("mxfp8", "modelopt_fp4")
W4A16 = "SGLANG_FLASHINFER_CUTEDSL_NVFP4_W4A16"
CURE = "use moe-a2a-backend deepep"


@sglang_rule("ENG354", "a2a-takes-model", source="moe_hook.py:258")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the exchange with the model class and the format of its experts."""
    model, exchange = view.architecture, view.settings.moe_a2a_backend
    if model is None:
        return
    if exchange == "deepep_v2" and first_class(view) not in DEEPEP_V2:
        message = f"moe-a2a-backend deepep_v2 is not released for {first_class(view)}"
        yield refuse(view, "moe_a2a_backend", message, CURE)
    if exchange != "flashinfer_megamoe":
        return
    if not FUSED.intersection(model.architectures):
        message = f"moe-a2a-backend flashinfer_megamoe is not released for {first_class(view)}"
        yield refuse(view, "moe_a2a_backend", message, CURE)
    elif view.settings.complete and not _fused_format(view):
        weights = view.settings.quantization or "these"
        message = f"moe-a2a-backend flashinfer_megamoe runs MXFP8 and 4-bit experts, not {weights} weights"
        yield refuse(view, "moe_a2a_backend", message, f"{CURE}, or a checkpoint in NVFP4 or MXFP4")


def _fused_format(view: SglangView) -> bool:
    quantization = view.settings.quantization
    online = quantization == "nvfp4_online" and view.env_on(W4A16)
    return quantization in FUSED_FORMATS or online or fp4_experts(view) or hybrid_nvfp4(view)
