"""Speculative decoding that an older release refused.

## Why

Drafts came to layouts, formats and flags one by one: pipeline stages had none at first, FP8 caches were
refused beside DFlash, sparse attention took one draft token, and the draft's own tensor parallel size was
not free.

## Fix

What the rule names, or a newer release.

## References

- vllm-project/vllm issues 10483, 14117, 24888, 31845, 36643, 41559, 52069, 52761, pull requests 20375 and
  46994 (MTP over stages), gpustack/gpustack pull request 3396, intel/intel-xpu-backend-for-triton issues
  7166 and 7322, sgl-project/sglang issues 4218 and 36528
- Bounds read in the source of every release: MTP over stages, `*_mtp.py` without `SupportsPP` since
  0.14.0 and the draft's stages those of the target to `vllm/config/speculative.py:1690` (0.29.0); DSpark
  over stages, `v1/worker/gpu/model_runner.py:273` (0.29.0); drafts of runner V2,
  `v1/worker/gpu/spec_decode/__init__.py:18` (0.12.0), with draft models from 0.31.0 and n-grams from
  0.32.0 on. The other releases are those of the reports
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from launchplan.engines.view import EngineView
from launchplan.engines.vllm.attention import PLAIN
from launchplan.engines.vllm.layers import kv_cache_dtype
from launchplan.rules.past import Found, Past, classes, refusals, size, unread
from launchplan.rules.rule import ERROR, Violation, rule

PP, CONFIG = "pipeline_parallel_size", "speculative_config"
WRONG_KEYS = {"ngram_prompt_lookup_max": "prompt_lookup_max", "ngram_prompt_lookup_min": "prompt_lookup_min"}
"""Names that were flags once, and the keys of `--speculative-config` for them."""
OWN_LAYERS = frozenset({"mtp", "deepseek_mtp", "qwen3_next_mtp", "qwen3_5_mtp", "glm4_moe_mtp", "mimo_mtp"})
"""Methods that draft with layers of the target."""
STAGED = frozenset({
    "BailingMoeV3ForCausalLM", "Glm4MoeLiteForCausalLM", "GlmOcrForConditionalGeneration",
    "NemotronHForCausalLM", "NemotronHPuzzleForCausalLM",
})  # fmt: skip
"""Classes whose draft layers kept `SupportsPP` (their files `*_mtp.py` of 0.14.0 to 0.29.0)."""
SIZES = ("speculative_eagle_topk", "speculative_num_draft_tokens")


def _config(view: EngineView) -> Mapping[str, Any]:
    value = view.arguments[CONFIG]
    return value if isinstance(value, Mapping) else {}


def _first_engine(view: EngineView) -> Found:
    drafts = _config(view) or unread(view, "--num-speculative-tokens") is not None
    return (
        "speculative decoding beside pipeline stages is not in this release"
        if drafts and _staged(view)
        else None
    )


def _staged(view: EngineView) -> bool:
    return size(view, PP) > 1


def _stages(family: str, method: str) -> Any:
    def finds(view: EngineView) -> Found:
        model = view.architecture
        if (
            model is None
            or model.family != family
            or _config(view).get("method") != method
            or not _staged(view)
        ):
            return None
        return f"{method} drafts of this model have no pipeline stages in this release"

    return finds


def _own_layers(view: EngineView) -> Found:
    """The draft class was asked for stages of its own, as many as the target's."""
    config = _config(view)
    if config.get("method") not in OWN_LAYERS or config.get("model") is not None or not _staged(view):
        return None
    if not classes(view) or classes(view) & STAGED:
        return None
    return f"{config['method']} drafts have no pipeline stages in this release"


def _no_tokens(view: EngineView) -> Found:
    """A draft whose name says EAGLE is one; its configuration does not say how many tokens."""
    config = _config(view)
    unsaid = config.get("method") is None and config.get("num_speculative_tokens") is None
    if not unsaid or "eagle" not in str(config.get("model") or "").lower():
        return None
    return "speculative-config gives no num_speculative_tokens"


def _sizes_apart(view: EngineView) -> Found:
    given = view.arguments
    family = str(given["speculative_algorithm"] or "").upper() in {"EAGLE", "EAGLE3", "NEXTN"}
    alone = next((name for name in SIZES if given[name] is not None), None)
    if not family or given["speculative_num_steps"] is not None or alone is None:
        return None
    return f"{alone.replace('_', '-')} {given[alone]} needs speculative-num-steps beside it"


def _sparse_tokens(view: EngineView) -> Found:
    model, count = view.architecture, _config(view).get("num_speculative_tokens")
    if model is None or model.family != "deepseek_sparse" or not isinstance(count, int) or count < 2:
        return None
    return f"{count} draft tokens: sparse attention takes one in this release"


def _quantized_cache(view: EngineView) -> Found:
    name = kv_cache_dtype(view)
    if _config(view).get("method") != "dflash" or name in PLAIN:
        return None
    return f"dflash drafts do not go with a {name} KV cache in this release"


def _draft_size(view: EngineView) -> Found:
    value = unread(view, "--speculative-draft-tensor-parallel-size")
    if value is None or value == "1":
        return None
    return f"speculative-draft-tensor-parallel-size {value}: this release takes 1"


def _keys(view: EngineView) -> Found:
    wrong = next((key for key in _config(view) if key in WRONG_KEYS), None)
    return f"speculative-config has no key {wrong}; it is {WRONG_KEYS[wrong]}" if wrong else None


def _power_of_two(view: EngineView) -> Found:
    count = view.arguments["speculative_num_draft_tokens"]
    if not isinstance(count, int) or count < 1 or count & (count - 1) == 0:
        return None
    return f"speculative-num-draft-tokens {count} is no power of two, which this release asks for"


def _second_runner(*names: str) -> Any:
    def finds(view: EngineView) -> Found:
        method = _config(view).get("method")
        asked = view.env_on("VLLM_USE_V2_MODEL_RUNNER") and method in names
        return f"model runner V2 of this release has no {method} drafts" if asked else None

    return finds


def _no_draft(view: EngineView) -> Found:
    """The target is loaded as the draft then, and no target has the draft's own vocabulary."""
    given = view.arguments
    if str(given["speculative_algorithm"] or "").upper() != "EAGLE3" or given["enable_multi_layer_eagle"]:
        return None
    missing = given["speculative_draft_model_path"] is None
    return "speculative-algorithm EAGLE3 needs speculative-draft-model-path" if missing else None


_DROP = "leave speculative decoding out, or use tp in place of pp"
_ISSUE = "vllm-project/vllm issue"
_RUNNER = (
    "v1/worker/gpu/spec_decode/__init__.py, init_speculator; intel/intel-xpu-backend-for-triton issues 7166,"
    " 7322"
)
TABLE = (
    Past("vllm", "0.8.0", f"{_ISSUE} 14117", _first_engine, PP, _DROP, at="config"),
    Past("vllm", "0.30.0", f"{_ISSUE}s 36643, 52069; config/speculative.py:1690 (0.29.0)", _own_layers,
         CONFIG, _DROP, "0.14.0", "config"),
    Past("vllm", "0.30.0", f"{_ISSUE} 52761; v1/worker/gpu/model_runner.py:273 (0.29.0)",
         _stages("deepseek_v4", "dspark"), CONFIG, _DROP, "0.26.0", "config"),
    Past("vllm", "0.14.0", f"{_ISSUE} 31845", _sparse_tokens, CONFIG, "use 1 token", "0.11.2"),
    Past("vllm", "0.23.0", f"{_ISSUE} 41559", _quantized_cache, CONFIG, "leave kv_cache_dtype out", "0.20.0"),
    Past("vllm", "0.7.0", f"{_ISSUE} 10483", _draft_size, CONFIG, "use 1", at="config"),
    Past("vllm", "0.33.0", f"{_ISSUE} 24888", _keys, CONFIG, "name the key as the release does", "0.8.0",
         "config"),
    Past("vllm", "0.33.0", "vllm-project/vllm pull request 20375", _no_tokens, CONFIG,
         "add num_speculative_tokens", "0.8.0", "config"),
    Past("sglang", "0.5.23", "gpustack/gpustack pull request 3396", _sizes_apart, "speculative_num_steps",
         "give all three sizes, or none", "0.4.5", "config"),
    Past("vllm", "0.32.0", _RUNNER, _second_runner("ngram", "ngram_gpu"), CONFIG,
         "unset VLLM_USE_V2_MODEL_RUNNER", "0.12.0", "config"),
    Past("vllm", "0.31.0", _RUNNER, _second_runner("draft_model"), CONFIG, "unset VLLM_USE_V2_MODEL_RUNNER",
         "0.12.0", "config"),
    Past("sglang", "0.5.23", "sgl-project/sglang issue 36528", _no_draft, "speculative_algorithm",
         "name the draft model", "0.5.18"),
    Past("sglang", "0.4.4", "sgl-project/sglang issue 4218", _power_of_two, "speculative_num_draft_tokens",
         "use 2 or 4"),
)  # fmt: skip


@rule("SPC401", "drafts-of-release", severity=ERROR, at="worker")
def check(view: EngineView) -> Iterator[Violation]:
    """Look the drafts up among what the release is known to refuse."""
    yield from refusals(view, TABLE)
