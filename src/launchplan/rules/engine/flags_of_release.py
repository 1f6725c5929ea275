"""Flags and values that an older release refused.

## Why

Parsers and schedulers had fewer names and more conditions once.

## Fix

What the rule names, or a newer release.

## References

- vllm-project/vllm issues 5244, 9312, 9531, 11206, 27347, 42510, 46459, 53470 and 55158,
  vllm-project/recipes issue 51, MoonshotAI/Kimi-K2 issue 19, zai-org/GLM-4.5 issues 16 and 58,
  verl-project/verl pull requests 259 and 7632, sgl-project/sglang issues 4116, 5032 and 12818,
  sgl-project/sgl-project.github.io issue 17
- Bounds read in the source of every release: adapters' ranks, vLLM `fused_moe_lora_op.py:352` (0.22.0) to
  `:353` (0.31.0); adapters of MiniCPM-V 4.6, `minicpmv4_6.py:906` (0.25.0, the first); the other releases
  are those of the reports
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.catalog.version import version_key
from launchplan.engines.view import EngineView
from launchplan.rules import past_names
from launchplan.rules.past import Found, Past, classes, refusals
from launchplan.rules.rule import ERROR, Violation, rule

REMOTE_TYPES = frozenset({
    "baichuan", "internlm", "internlm2", "minicpm", "minicpmv", "orion", "phi3small", "qwen", "xverse",
})  # fmt: skip
"""Model types that only code beside the checkpoint reads."""
NO_ADAPTERS = frozenset({"MiniCPMV4_6ForConditionalGeneration"})
"""Classes that took no adapters at first."""
NO_EXPERT_ADAPTERS = frozenset({"Gemma4ForCausalLM", "Gemma4ForConditionalGeneration"})
"""Classes that took adapters, and named no experts for them."""
OWN_SINCE = {"chatglm": (0, 7), "deepseek_v2": (0, 6, 6), "internvl_chat": (0, 7)}
"""Types that were read by such code until vLLM or Transformers brought their own."""


def _short_batches(view: EngineView) -> Found:
    given = view.arguments
    length, tokens = given["max_model_len"], given["max_num_batched_tokens"]
    if not isinstance(length, int) or not isinstance(tokens, int) or tokens >= length:
        return None
    if given["enable_chunked_prefill"] is not False or "enable_chunked_prefill" not in given:
        return None
    return _too_few(tokens, length)


def _short_of_window(view: EngineView) -> Found:
    """The length is the model's own window where the command gives none."""
    given, model = view.arguments, view.architecture
    length, tokens = model.derived_max_model_len if model else None, given["max_num_batched_tokens"]
    if given["max_model_len"] is not None or length is None or not isinstance(tokens, int):
        return None
    if tokens >= length:
        return None
    if given["enable_chunked_prefill"] is not False or "enable_chunked_prefill" not in given:
        return None
    return _too_few(tokens, length)


def _too_few(tokens: int, length: int) -> str:
    return f"max-num-batched-tokens {tokens} is below max-model-len {length} without chunked prefill"


def _remote_code(view: EngineView) -> Found:
    model = view.architecture
    if model is None or view.arguments["trust_remote_code"]:
        return None
    release = version_key(view.pool.deployment.version)
    own = OWN_SINCE.get(model.model_type or "")
    early = own is not None and () < release < own
    brought = model.dims.get("auto_map") is True and not model.known
    remote = early or brought or model.model_type in REMOTE_TYPES
    return "the checkpoint brings its own configuration code, which is not trusted" if remote else None


def _token_looked_up(view: EngineView) -> Found:
    entry = view.pool.deployment.model_source.entry
    own = entry.parsers.get("vllm") if entry else None
    if view.arguments["tool_call_parser"] != "hermes" or own is None or own.tools != "llama3_json":
        return None
    return "tool-call-parser hermes looks up a token <tool_call>, which Llama 3's vocabulary does not have"


def _block_size(view: EngineView) -> Found:
    """No kernel takes blocks below 16 tokens, which the flag offered."""
    size, nvidia = view.arguments["block_size"], view.gpu is not None and view.gpu.vendor == "nvidia"
    return f"block-size {size}: attention kernels take multiples of 16" if nvidia and size in {1, 8} else None


def _adapter_rank(view: EngineView) -> Found:
    given, model = view.arguments, view.architecture
    rank = given["max_lora_rank"]
    if not given["enable_lora"] or model is None or model.moe is None or given["fully_sharded_loras"]:
        return None
    if not isinstance(rank, int):
        return None
    return f"max-lora-rank {rank}: the kernel of experts takes 128 in this release" if rank > 128 else None


def _adapters(view: EngineView) -> Found:
    lacks = classes(view) & NO_ADAPTERS if view.arguments["enable_lora"] else frozenset()
    return f"{min(lacks)} takes no adapters in this release" if lacks else None


def _expert_adapters(view: EngineView) -> Found:
    experts = view.architecture is not None and view.architecture.is_moe
    lacks = classes(view) & NO_EXPERT_ADAPTERS if view.arguments["enable_lora"] and experts else frozenset()
    return f"{min(lacks)} takes no adapters beside experts in this release" if lacks else None


TABLE = (
    *past_names.TABLE,
    Past("vllm", "0.33.0", "verl-project/verl issue 259", _short_batches, "max_num_batched_tokens",
         "raise it to max-model-len", at="config"),
    Past("vllm", "0.33.0", "verl-project/verl pull request 7632", _short_of_window, "max_num_batched_tokens",
         "raise it, or set max-model-len", "0.24.0", "config"),
    Past("vllm", "0.6.3", "vllm-project/vllm issue 8912", _token_looked_up, "tool_call_parser",
         "use llama3_json", at="run"),
    Past("vllm", "0.33.0", "vllm-project/vllm issue 42510", _block_size, "block_size", "use 16", "0.11.1",
         "worker"),
    Past("vllm", "0.32.0", "vllm-project/vllm issue 55158", _adapter_rank, "max_lora_rank", "use 128",
         "0.22.0", "run"),
    Past("vllm", "0.25.0", "vllm-project/vllm issue 46459", _adapters, "enable_lora",
         "merge the adapter into the model", "0.22.0", "worker"),
    Past("vllm", "0.28.0", "vllm-project/vllm issue 53470", _expert_adapters, "enable_lora",
         "merge the adapter into the model", "0.19.0", "worker"),
    Past("vllm", "0.33.0", "vllm-project/vllm issue 5244", _remote_code, "trust_remote_code",
         "set trust_remote_code: true", at="config"),
)  # fmt: skip


@rule("ENG405", "flags-of-release", severity=ERROR, at="config")
def check(view: EngineView) -> Iterator[Violation]:
    """Look flags and values up among what the release is known to refuse."""
    yield from refusals(view, TABLE)
