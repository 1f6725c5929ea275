"""Flags that older releases did not have, and flags of the other engine."""

from __future__ import annotations

from collections.abc import Callable

from launchplan.engines.view import EngineView
from launchplan.rules.past import Found, Past, unread

SINCE_RELEASE = {"all2all_backend": ("0.11.1", "vllm-project/vllm issue 27347")}
"""Flags of vLLM, by the parser's name, with the release that brought them."""
OF_VLLM = frozenset({
    "--enable-reasoning", "--enable-auto-tool-choice", "--max-model-len", "--gpu-memory-utilization",
    "--max-num-seqs", "--max-num-batched-tokens", "--enable-prefix-caching", "--enable-expert-parallel",
    "--enforce-eager", "--swap-space", "--speculative-config", "--disable-log-requests",
})  # fmt: skip
"""Flags that no SGLang ever had."""
OF_SGLANG = frozenset({
    "--mem-fraction-static", "--context-length", "--model-path", "--chunked-prefill-size",
    "--max-running-requests", "--disable-radix-cache", "--enable-dp-attention", "--dist-init-addr",
    "--enable-metrics", "--schedule-conservativeness", "--enable-ep-moe", "--enable-deepep-moe",
    "--cuda-graph-max-bs",
})  # fmt: skip
"""Flags that no vLLM ever had."""


def _flag(name: str) -> Past:
    until, source = SINCE_RELEASE[name]
    flag = f"--{name.replace('_', '-')}"

    def finds(view: EngineView) -> Found:
        return f"{flag} is not in this release" if name in view.paths else None

    return Past("vllm", until, source, finds, name, "use a newer release", at="parse")


def _foreign(flags: frozenset[str], other: str) -> Callable[[EngineView], Found]:
    def finds(view: EngineView) -> Found:
        found = next((flag for flag in sorted(flags) if unread(view, flag) is not None), None)
        return f"{found} is a flag of {other}" if found else None

    return finds


def _underscored(view: EngineView) -> Found:
    """Argparse of SGLang takes names as they are; vLLM's own parser exchanges underscores."""
    for word in view.arguments.unread:
        name = word.text.partition("=")[0]
        dashed = name.replace("_", "-")
        if name.startswith("--") and name != dashed and view.arguments.facts.find(dashed) is not None:
            return f"{name} is spelled {dashed}"
    return None


TABLE = (
    *(_flag(name) for name in SINCE_RELEASE),
    Past("sglang", "0.5.23", "sgl-project/sglang issues 5032, 12818", _underscored, "args",
         "write dashes", at="parse"),
    Past("sglang", "0.5.23", "sgl-project/sglang issue 4116", _foreign(OF_VLLM, "vllm"), "args", "remove it",
         at="parse"),
    Past("vllm", "0.11.2", "the engine's argument parser", _foreign(OF_SGLANG, "sglang"), "args", "remove it",
         at="parse"),
)  # fmt: skip
"""By `launchplan.rules.past`."""
