"""An encoder that is served apart in a way that does not work.

## Why

`--encoder-only` and `--language-only` split a multimodal model over two servers; that exists for a list of
model classes. `--language-model-only` drops the encoder, for another list, and goes with none of them.

## Fix

Remove the switch that the message names.

## References

- SGLang 0.5.23 `arg_groups/pd_disaggregation_hook.py:304`-`:386`; `arg_groups/model_hook.py:1080`-`:1109`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import first_class, refuse, sglang_rule

APART = frozenset({
    "Qwen2VLForConditionalGeneration", "Qwen3VLForConditionalGeneration",
    "Qwen2_5_VLForConditionalGeneration", "Qwen3VLMoeForConditionalGeneration",
    "Qwen3_5ForConditionalGeneration",
    "Qwen3_5MoeForConditionalGeneration", "InternS2PreviewForConditionalGeneration",
    "Qwen3OmniMoeForConditionalGeneration", "Qwen2AudioForConditionalGeneration",
    "Qwen2_5OmniForConditionalGeneration", "Dots3NoteForCausalLM", "KimiVLForConditionalGeneration",
    "KimiK25ForConditionalGeneration", "KimiK3ForConditionalGeneration", "MiMoV2ForCausalLM",
    "Glm5NextForConditionalGeneration", "MiniMaxM3SparseForConditionalGeneration",
    "MuseSparkForConditionalGeneration",
})  # fmt: skip
"""Classes whose encoder can be served apart (`pd_disaggregation_hook.py:348`)."""
WITHOUT = frozenset({
    "DeepseekV4ForCausalLM", "MuseGlimmerForConditionalGeneration", "Cosmos3ForConditionalGeneration",
    "Cosmos3EdgeForConditionalGeneration",
})  # fmt: skip
"""Classes that can be served without their encoder (`server_args.py:335`)."""
NO_LOCAL_ENCODER = frozenset({"MuseSparkForConditionalGeneration"})
TRANSFERS_ALONE = "deepseek_v41"
"""The model type whose text-only servers may be disaggregated (`model_hook.py:1096`)."""


@sglang_rule("DIS306", "encoder-apart", source="pd_disaggregation_hook.py:372")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the switches with each other and with the model class."""
    given = view.arguments
    if given["language_model_only"]:
        yield from _without_encoder(view)
    if given["enable_prefix_mm_cache"] and not given["encoder_only"]:
        message = "enable-prefix-mm-cache needs encoder-only"
        yield refuse(view, "enable_prefix_mm_cache", message, "remove enable-prefix-mm-cache")
    if given["encoder_only"] and given["language_only"]:
        message = "encoder-only and language-only are for two different servers"
        yield refuse(view, "encoder_only", message, "remove one of them")
    if given["encoder_only"] and given["disaggregation_mode"] != "null":
        message = f"encoder-only does not work with disaggregation-mode {given['disaggregation_mode']}"
        yield refuse(view, "encoder_only", message, "remove disaggregation-mode")
    name = "encoder_only" if given["encoder_only"] else "language_only"
    kind = first_class(view)
    if given[name] and kind is not None and kind not in APART:
        message = f"{name.replace('_', '-')} does not work for {kind}"
        yield refuse(view, name, message, f"remove {name.replace('_', '-')}")
    if kind in NO_LOCAL_ENCODER and given["language_only"] and given["enable_adaptive_dispatch_to_encoder"]:
        message = f"language-only loads no encoder for {kind} to dispatch to"
        yield refuse(view, "enable_adaptive_dispatch_to_encoder", message, "remove the dispatch")


def _without_encoder(view: SglangView) -> Iterator[Violation]:
    given, model = view.arguments, view.architecture
    for name in ("encoder_only", "language_only", "enable_prefix_mm_cache",
                 "enable_broadcast_mm_inputs_process", "mm_enable_dp_encoder"):  # fmt: skip
        if given[name]:
            message = f"language-model-only does not work with {name.replace('_', '-')}"
            yield refuse(view, "language_model_only", message, f"remove {name.replace('_', '-')}")
    if model is None:
        return
    if given["disaggregation_mode"] != "null" and model.model_type != TRANSFERS_ALONE:
        message = f"language-model-only does not work with disaggregation-mode {given['disaggregation_mode']}"
        yield refuse(view, "language_model_only", message, "remove language-model-only")
    if not WITHOUT.intersection(model.architectures):
        message = f"language-model-only does not work for {first_class(view)}"
        yield refuse(view, "language_model_only", message, "remove language-model-only")
