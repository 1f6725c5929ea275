"""A feature that a model class refuses by name.

## Why

A few model classes of SGLang have caches or kernels of their own, and refuse the features that do not know
them.

## Fix

Remove the feature that the message names.

## References

- SGLang 0.5.23 `arg_groups/model_overrides/{minicpm,qwen4_exp,iquest_q1}.py`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from launchplan.engines.sglang.settings import Given, SglangSettings, classes
from launchplan.engines.sglang.settings.attention import unset
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

Features = Mapping[str, tuple[str, object]]
"""By flag: what is refused, and whether it is there."""
OWN_BACKENDS = frozenset({"minicpm_flashattn", "minicpm_flashinfer"})


def _minicpm(given: Given, held: SglangSettings) -> Features:
    dims = given.model.architecture.dims
    sparse = dims.get("has_minicpm_sparse_attention") is True
    hybrid = sparse or dims.get("has_lightning_layers") is True
    chosen = {held.attention_backend, held.prefill_attention_backend, held.decode_attention_backend}
    dense = given.switched_on("SGLANG_MINICPM_FORCE_DENSE")
    own = sparse and not dense and (unset(held) or bool(chosen & OWN_BACKENDS))
    return {
        "enable_hierarchical_cache": ("enable-hierarchical-cache", hybrid and held.enable_hierarchical_cache),
        "disaggregation_mode": ("disaggregation", own and held.disaggregation_mode != "null"),
    }


def _qwen4(given: Given, held: SglangSettings) -> Features:
    mori = held.disaggregation_mode != "null" and held.disaggregation_transfer_backend == "mori"
    fp8 = given["qsa_indexer_dtype"] == "fp8_e4m3"
    return {
        "disaggregation_transfer_backend": ("mori with pp-size above 1", mori and held.pp_size > 1),
        "enable_unified_memory": ("enable-unified-memory", given["enable_unified_memory"]),
        "qsa_indexer_dtype": ("an FP8 index on this GPU", fp8 and not (given.hopper or given.sm100)),
    }


def _iquest(_given: Given, held: SglangSettings) -> Features:
    drafts = held.speculative_algorithm is not None
    draft = held.speculative_draft_attention_backend
    return {
        "speculative_draft_attention_backend": (
            f"draft backend {draft}",
            drafts and draft not in {None, "fa3"},
        ),
        "enable_multi_layer_eagle": ("enable-multi-layer-eagle", held.enable_multi_layer_eagle),
        "enable_prefill_cp": ("enable-prefill-cp", held.enable_prefill_cp),
    }


REFUSED: Mapping[str, Callable[[Given, SglangSettings], Features]] = {
    **dict.fromkeys(classes.MINICPM, _minicpm),
    "Qwen4ExpForConditionalGeneration": _qwen4,
    **dict.fromkeys(classes.IQUEST, _iquest),
}
"""By class."""


@sglang_rule("ENG318", "class-takes-features", source="model_overrides/minicpm.py")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the features with what the class knows."""
    given = view.given
    refused = REFUSED.get(given.model.name) if given else None
    if given is None or refused is None:
        return
    for name, (what, on) in refused(given, view.after("memory.budget")).items():
        if on:
            yield refuse(
                view, name, f"{given.model.name} does not take {what}", f"remove {name.replace('_', '-')}"
            )
