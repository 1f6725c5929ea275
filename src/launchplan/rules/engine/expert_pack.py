"""Experts loaded from a pack in a layout that it does not know.

## Why

`--load-format expert_pack` streams the experts of DeepSeek-V4 or of the text-only Kimi-K3 on one GPU. It
takes no parallelism, no CUDA graphs and no fused shared experts, and reads the pack's place from the
loader's options.

## Fix

Use another `load-format`, or change what the message names.

## References

- SGLang 0.5.23 `arg_groups/expert_pack_hook.py:30`-`:205`, `model_loader/expert_pack_config.py:26`
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

MODEL_TYPES = ("deepseek_v4", "kimi_linear")
SIZES = ("tp_size", "dp_size", "attn_dp_size", "ep_size")
SOURCES = ("source_path", "source_sha256", "model_identity_sha256", "config_sha256")
PLACE = "SGLANG_EXPERT_PACK_PATH"


@sglang_rule("ENG376", "expert-pack", source="expert_pack_hook.py:190")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for what an expert pack does not know."""
    if view.arguments["load_format"] != "expert_pack":
        return
    for problem in _problems(view):
        yield refuse(view, "load_format", f"load-format expert_pack {problem}", "use another load-format")


def _problems(view: SglangView) -> Iterator[str]:
    given, model = view.arguments, view.architecture
    for name in SIZES:
        if given[name] != 1:
            yield f"needs {name.replace('_', '-')} 1, not {given[name]}"
    for name in ("enforce_shared_experts_fusion", "enable_waterfill"):
        if given[name]:
            yield f"does not work with {name.replace('_', '-')}"
    for name in ("cuda_graph_backend_decode", "cuda_graph_backend_prefill"):
        if given[name] not in (None, "disabled"):
            yield f"needs {name.replace('_', '-')} disabled, not {given[name]}"
    yield from _sources(view, model.model_type if model is not None else None)


def _sources(view: SglangView, kind: str | None) -> Iterator[str]:
    """Look for where the pack lies, and for what must be known of where it came from."""
    options = _options(view.arguments["model_loader_extra_config"])
    if options is None:
        yield "needs a JSON object in model-loader-extra-config"
        return
    if not options.get("pack_path") and not view.env.get(PLACE):
        yield "needs pack_path in model-loader-extra-config"
    if kind is not None and kind not in MODEL_TYPES:
        yield f"does not know model type {kind}"
    if kind == "kimi_linear" and not options.get("manifest_path"):
        yield "needs manifest_path in model-loader-extra-config"
    for name in SOURCES if kind == "deepseek_v4" else ():
        if not options.get(name):
            yield f"needs {name} in model-loader-extra-config"


def _options(written: object) -> Mapping[str, Any] | None:
    if isinstance(written, str) and written:
        try:
            written = json.loads(written)
        except ValueError:
            return None
    return {} if not written else written if isinstance(written, dict) else None
