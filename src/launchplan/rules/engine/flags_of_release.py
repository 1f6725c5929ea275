"""Flags and values that an older release refused.

## Why

Parsers and schedulers had fewer names and more conditions once.

## Fix

What the rule names, or a newer release.

## References

- vllm-project/vllm issues 5244 and 9312, verl-project/verl issue 259. The releases are those of the reports
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.past import Found, Past, refusals
from launchplan.rules.rule import ERROR, Violation, rule

FIRST_PARSERS = frozenset({"hermes", "mistral"})
REMOTE_TYPES = frozenset({"phi3small"})
"""Model types that only code beside the checkpoint reads."""


def _parser(view: EngineView) -> Found:
    name = view.arguments["tool_call_parser"]
    if name is None or name in FIRST_PARSERS:
        return None
    return f"tool-call-parser {name} is not in this release, which has hermes and mistral"


def _short_batches(view: EngineView) -> Found:
    given = view.arguments
    length, tokens = given["max_model_len"], given["max_num_batched_tokens"]
    if not isinstance(length, int) or not isinstance(tokens, int) or tokens >= length:
        return None
    if given["enable_chunked_prefill"] is not False or "enable_chunked_prefill" not in given:
        return None
    return f"max-num-batched-tokens {tokens} is below max-model-len {length} without chunked prefill"


def _remote_code(view: EngineView) -> Found:
    model = view.architecture
    if model is None or view.arguments["trust_remote_code"]:
        return None
    remote = model.model_type in REMOTE_TYPES or (model.dims.get("auto_map") is True and not model.known)
    return "the checkpoint brings its own configuration code, which is not trusted" if remote else None


TABLE = (
    Past("vllm", "0.6.3", "vllm-project/vllm issue 9312", _parser, "tool_call_parser",
         "use hermes or mistral", at="config"),
    Past("vllm", "0.33.0", "verl-project/verl issue 259", _short_batches, "max_num_batched_tokens",
         "raise it to max-model-len", at="config"),
    Past("vllm", "0.33.0", "vllm-project/vllm issue 5244", _remote_code, "trust_remote_code",
         "set trust_remote_code: true", at="config"),
)  # fmt: skip


@rule("ENG405", "flags-of-release", severity=ERROR, engines=("vllm",), at="config")
def check(view: EngineView) -> Iterator[Violation]:
    """Look flags and values up among what the release is known to refuse."""
    yield from refusals(view, TABLE)
