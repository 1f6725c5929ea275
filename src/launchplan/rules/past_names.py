"""Names that older releases did not have: parsers of vLLM, flags of the other engine."""

from __future__ import annotations

from collections.abc import Callable

from launchplan.engines.view import EngineView
from launchplan.rules.past import Found, Past, unread

_EARLY = frozenset({"hermes", "mistral"})
_SECOND = _EARLY | {"granite-20b-fc", "granite", "internlm", "jamba", "llama3_json", "pythonic"}
_NINTH = _SECOND | {
    "deepseek_v3", "llama4_pythonic", "llama4_json", "minimax", "phi4_mini_json", "xlam",
}  # fmt: skip
_TENTH = _NINTH | {"glm4_moe", "hunyuan_a13b", "kimi_k2", "qwen3_coder"}
_THIRD = _SECOND | {
    "deepseek_v3", "glm4_moe", "glm45", "hunyuan_a13b", "kimi_k2", "llama4_pythonic", "llama4_json",
    "minimax", "phi4_mini_json", "qwen3_coder", "step3", "xlam",
}  # fmt: skip
TOOL_PARSERS = (
    ("0.6.3", _EARLY, "vllm-project/vllm issue 9312"),
    ("0.6.5", _SECOND, "vllm-project/vllm issue 11206"),
    ("0.10.0", _NINTH, "MoonshotAI/Kimi-K2 issue 19"),
    ("0.10.1", _TENTH, "zai-org/GLM-4.5 issues 16, 58"),
    ("0.10.2", _THIRD, "vllm-project/recipes issue 51"),
)
"""All tool parsers before a release, as its own message of refusal lists them. Most were choices of the flag;
the others are looked up beside `--enable-auto-tool-choice` only."""
CHOICES = (_EARLY, _TENTH)
SGLANG_PARSERS = frozenset({"qwen25", "mistral", "llama3", "deepseekv3", "pythonic"})
"""Tool parsers of SGLang 0.4.6, by its own message."""
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


def _parser(names: frozenset[str]) -> Past:
    until, _, source = next(each for each in TOOL_PARSERS if each[1] == names)

    def finds(view: EngineView) -> Found:
        name = view.arguments["tool_call_parser"]
        looked_up = names in CHOICES or view.arguments["enable_auto_tool_choice"]
        if name is None or name in names or view.arguments["tool_parser_plugin"] or not looked_up:
            return None
        return f"tool-call-parser {name} is not in this release, which has {', '.join(sorted(names))}"

    return Past("vllm", until, source, finds, "tool_call_parser", "use one of these, or a newer release",
                at="config")  # fmt: skip


def _sglang_parser(view: EngineView) -> Found:
    name = view.arguments["tool_call_parser"] or unread(view, "--tool-call-parser")
    if not name or name in SGLANG_PARSERS:
        return None
    return f"tool-call-parser {name} is not in this release, which has {', '.join(sorted(SGLANG_PARSERS))}"


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
    *(_parser(names) for _, names, _ in TOOL_PARSERS),
    *(_flag(name) for name in SINCE_RELEASE),
    Past("sglang", "0.4.9", "sgl-project/sgl-project.github.io issue 17", _sglang_parser, "tool_call_parser",
         "use one of these, or a newer release", "0.4.6", "parse"),
    Past("sglang", "0.5.23", "sgl-project/sglang issues 5032, 12818", _underscored, "args",
         "write dashes", at="parse"),
    Past("sglang", "0.5.23", "sgl-project/sglang issue 4116", _foreign(OF_VLLM, "vllm"), "args", "remove it",
         at="parse"),
    Past("vllm", "0.11.2", "the engine's argument parser", _foreign(OF_SGLANG, "sglang"), "args", "remove it",
         at="parse"),
)  # fmt: skip
"""By `launchplan.rules.past`."""
