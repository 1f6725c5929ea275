"""Layouts that SGLang refused before the release whose source the rules were read in.

Each was an assertion of `ServerArgs.__post_init__` or `check_server_args` (`srt/server_args.py`, since 0.5.19
`srt/arg_groups`) of every release from `since` to before `until`, read in the releases' own source.
"""

from __future__ import annotations

from launchplan.engines.view import EngineView
from launchplan.rules.past import Found, Past, size, unread
from launchplan.rules.versions import reaches

KNOWN = "0.5.23"
"""The release whose own rules take over."""
DECODE_FREE = "0.5.3"
"""Since then a decode instance, which prefills nothing, may have any chunk."""
TP, PP, DP = "tp_size", "pp_size", "dp_size"
_ARGS = "sglang/srt/server_args.py"


def _replicas(view: EngineView) -> Found:
    tp, dp = size(view, TP), size(view, DP)
    if not view.arguments["enable_dp_attention"] or tp % dp == 0:
        return None
    return f"dp-size {dp} of data parallel attention does not divide tp-size {tp}"


def _one_replica(view: EngineView) -> Found:
    on = view.arguments["enable_dp_attention"] and size(view, DP) == 1
    return "enable-dp-attention asks for a dp-size above 1 in this release" if on else None


def _deepep_mode(view: EngineView) -> Found:
    asked = unread(view, "--enable-deepep-moe") is not None and view.arguments["enable_dp_attention"]
    if not asked or view.arguments["deepep_mode"] not in {None, "auto"}:
        return None
    return "deepep-mode auto does not go with data parallel attention in this release"


def _staged_drafts(view: EngineView) -> Found:
    if size(view, PP) == 1 or view.arguments["speculative_algorithm"] is None:
        return None
    return f"speculative decoding beside pp-size {size(view, PP)} is not in this release"


def _staged_mixture(view: EngineView) -> Found:
    if size(view, PP) == 1 or not view.arguments["enable_mixed_chunk"]:
        return None
    return f"enable-mixed-chunk beside pp-size {size(view, PP)} is not in this release"


def _dense_width(view: EngineView) -> Found:
    width = view.arguments["moe_dense_tp_size"]
    return None if width in {None, 1} else f"moe-dense-tp-size {width}: this release takes 1, or none"


def _dense_or_whole(view: EngineView) -> Found:
    width = view.arguments["moe_dense_tp_size"]
    if width in {None, 1, size(view, TP)}:
        return None
    return f"moe-dense-tp-size {width}: this release takes 1, tp-size, or none"


def _output_layer(view: EngineView) -> Found:
    given = view.arguments
    on = given["enable_dp_lm_head"] and not given["enable_dp_attention"]
    return "enable-dp-lm-head needs enable-dp-attention" if on else None


def _pages(view: EngineView) -> Found:
    given = view.arguments
    chunk, page = given["chunked_prefill_size"], given["page_size"]
    if given["disaggregation_mode"] == "decode" and reaches(view.pool.deployment.version, DECODE_FREE):
        return None
    if not isinstance(chunk, int) or not isinstance(page, int) or given["enable_dp_attention"]:
        return None
    if page < 1 or chunk < 1 or chunk % page == 0:
        return None
    return f"chunked-prefill-size {chunk} is no multiple of page-size {page}"


def _adapters(view: EngineView) -> Found:
    on = view.arguments["lora_paths"] and not view.arguments["disable_radix_cache"]
    return "lora-paths needs disable-radix-cache in this release" if on else None


def _tiers(view: EngineView) -> Found:
    model, on = view.architecture, view.arguments["enable_hierarchical_cache"]
    unified = view.env_on("SGLANG_ENABLE_UNIFIED_RADIX_TREE")
    if not on or unified or model is None or model.family != "deepseek_v4":
        return None
    return "the hierarchical cache of this release does not hold this model's KV cache"


TABLE = (
    Past("sglang", KNOWN, _ARGS, _replicas, DP, "use a dp-size that divides it", "0.4.5", "config"),
    Past("sglang", "0.5.2", _ARGS, _one_replica, DP, "add dp-size, or leave it out", "0.4.5", "config"),
    Past("sglang", "0.4.9", _ARGS, _deepep_mode, "deepep_mode", "set deepep-mode to normal or low_latency",
         "0.4.5", "config"),
    Past("sglang", "0.5.21", _ARGS, _staged_drafts, PP, "use tp in place of pp", "0.4.6", "config"),
    Past("sglang", "0.5.13", _ARGS, _staged_mixture, PP, "use tp in place of pp", "0.4.6", "config"),
    Past("sglang", "0.5.13", _ARGS, _dense_width, "moe_dense_tp_size", "use 1", "0.4.5", "config"),
    Past("sglang", KNOWN, _ARGS, _dense_or_whole, "moe_dense_tp_size", "use 1", "0.5.13", "config"),
    Past("sglang", "0.5.22", _ARGS, _output_layer, "enable_dp_lm_head",
         "add enable-dp-attention, or leave it out", "0.4.6", "config"),
    Past("sglang", KNOWN, _ARGS, _pages, "chunked_prefill_size", "use a multiple", "0.4.5", "config"),
    Past("sglang", "0.5.0", _ARGS, _adapters, "lora_paths", "add disable-radix-cache", "0.4.0", "config"),
    Past("sglang", "0.5.13", "sgl-project/sglang issue 26690", _tiers, "enable_hierarchical_cache",
         "leave it out", "0.5.10", "memory"),
)  # fmt: skip
"""By `launchplan.rules.past`."""
