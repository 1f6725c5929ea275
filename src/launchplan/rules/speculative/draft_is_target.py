"""Speculative decoding that drafts with the whole target.

## Why

Without a draft model SGLang takes the target's own path for it. A class with prediction layers of its own
gets those; any other is loaded a second time, whole: it takes its memory twice, and each draft costs as
much as the answer. EAGLE's draft then ignores the hidden states that it is given.

## Fix

Give `speculative.model` (`--speculative-draft-model-path`), or leave `speculative` out.

## References

- SGLang 0.5.23 `configs/model_config.py:967` (the target's path), `:1032`-`:1205` (classes with a draft of
  their own), `managers/tp_worker.py:466`, `speculative/eagle_worker_v2.py:377`; sgl-project/sglang issue
  36528
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.sglang import algorithm_of, first_class, refuse

ALGORITHMS = frozenset({"EAGLE", "NEXTN", "STANDALONE"})
OWN = frozenset({
    "DeepseekV3ForCausalLM", "DeepseekV32ForCausalLM", "GlmMoeDsaForCausalLM", "DeepseekV4ForCausalLM",
    "Glm4MoeForCausalLM", "Glm4MoeLiteForCausalLM", "Glm5NextForConditionalGeneration",
    "GlmOcrForConditionalGeneration", "LongcatFlashForCausalLM", "MiMoForCausalLM", "MiMoV2ForCausalLM",
    "MiMoV2FlashForCausalLM", "Step3p5ForCausalLM", "Step3p7ForConditionalGeneration",
    "InklingForConditionalGeneration", "GigaChat35ForCausalLM", "BailingMoeV2ForCausalLM",
    "BailingMoeForCausalLM", "BailingMoeV2_5ForCausalLM", "BailingMoeV3ForCausalLM",
    "Ernie4_5_MoeForCausalLM", "Qwen3NextForCausalLM", "Qwen4ExpForConditionalGeneration",
    "Qwen3MoeForCausalLM", "Qwen3_5ForConditionalGeneration", "Qwen3_5MoeForConditionalGeneration",
    "Qwen3_5ForCausalLM", "Qwen3_5MoeForCausalLM", "InternS2PreviewForConditionalGeneration",
    "InternS2MobiusForConditionalGeneration", "ExaoneMoEForCausalLM", "ExaoneMoeForCausalLM",
    "NemotronH_Omni_Reasoning_V3", "NemotronHForCausalLM", "NemotronHPuzzleForCausalLM", "HYV3ForCausalLM",
    "HYV4ForCausalLM", "Dots3NoteForCausalLM", "MistralLarge3ForCausalLM", "PixtralForConditionalGeneration",
    "IQuestQ1ForCausalLM",
})  # fmt: skip
"""Classes that are built as a draft of their own, or whose draft another rule speaks of."""


@rule(
    "SPC319",
    "draft-is-target",
    severity=WARNING,
    engines=("sglang",),
    since={"sglang": "0.5.23"},
    source={"sglang": "sglang/srt/configs/model_config.py:967 (0.5.23)"},
    at="run",
)
def check(view: SglangView) -> Iterator[Violation]:
    """Look for a draft that is the target itself."""
    algorithm, model, name = algorithm_of(view), view.architecture, first_class(view)
    if algorithm not in ALGORITHMS or view.arguments["speculative_draft_model_path"] is not None:
        return
    if model is None or not model.known or model.mtp_layers or name is None or name in OWN:
        return
    message = f"speculative-algorithm {algorithm} without a draft model loads {name} a second time to draft"
    yield refuse(view, "speculative_algorithm", message, "name a draft model")
