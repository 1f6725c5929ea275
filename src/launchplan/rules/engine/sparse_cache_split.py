"""A split of the sparse attention cache that does not apply.

## Why

`--enable-dsa-cache-layer-split` spreads the cache's layers over context ranks of a prefill server, and
`--enable-cp-decode-attn-tp` splits attention in decoding where it was replicated in prefill. Both know some
model classes and one kind of server.

## Fix

Remove the flag.

## References

- SGLang 0.5.23 `arg_groups/model_hook.py:187`-`:204`, `:299`, `:365`-`:408`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import Given, SglangSettings
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

SPLIT, DECODE = "enable_dsa_cache_layer_split", "enable_cp_decode_attn_tp"
REPLICATED = frozenset({
    "DeepseekV4ForCausalLM", "DeepseekV4ForCausalLMNextN", "DeepseekV4ForCausalLMDSpark",
    "GlmMoeDsaForCausalLM", "GlmMoeDsaForCausalLMNextN",
})  # fmt: skip
"""`layers/cp/cp_decode_attn_tp.py:29`."""


@sglang_rule("ENG309", "sparse-cache-split", source="model_hook.py:187")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the flags with model and role."""
    given, held = view.given, view.settings
    if given is None:
        return
    if given[SPLIT]:
        problem = _layers(given, held)
        if problem is not None:
            message = f"enable-dsa-cache-layer-split {problem}"
            yield refuse(view, SPLIT, message, "remove enable-dsa-cache-layer-split")
    if given[DECODE] and given.model.name not in REPLICATED:
        message = f"enable-cp-decode-attn-tp is not for {given.model.name}"
        yield refuse(view, DECODE, message, "remove enable-cp-decode-attn-tp")
    if held.enable_two_batch_overlap and given.model.is_dsa and _shares_index(given):
        message = "enable-two-batch-overlap does not go with an index that layers share"
        yield refuse(view, "enable_two_batch_overlap", message, "remove enable-two-batch-overlap")


def _layers(given: Given, held: SglangSettings) -> str | None:
    if not given.model.is_dsa:
        return f"is for sparse attention, which {given.model.name} does not have"
    if held.disaggregation_mode != "prefill":
        return "is for prefill servers only"
    if not held.enable_prefill_cp or held.cp_strategy != "interleave":
        return "needs enable-prefill-cp with cp-strategy interleave"
    if held.disaggregation_transfer_backend != "mooncake":
        return f"needs transfer backend mooncake, not {held.disaggregation_transfer_backend}"
    return f"needs pp-size 1, not {held.pp_size}" if held.pp_size > 1 else None


def _shares_index(given: Given) -> bool:
    """Tell whether layers reuse the index of another (`model_hook.py:54`)."""
    model = given.model.architecture
    often = (given.model.number("index_topk_freq", 1) or 1) > 1
    pattern = model.dims.get("index_topk_pattern")
    listed = model.lists.get("index_topk_pattern", ())
    shared = "shared" in model.lists.get("indexer_types", ())
    return often or (isinstance(pattern, str) and "S" in pattern) or "S" in listed or shared
