"""Model classes that older releases of vLLM could not lay over pipeline stages."""

from __future__ import annotations

from launchplan.engines.view import EngineView
from launchplan.rules.past import Found, Past, classes, size

PP = "pipeline_parallel_size"
LISTED = frozenset({
    "AquilaForCausalLM", "AquilaModel", "DeepseekV2ForCausalLM", "GPT2LMHeadModel", "InternLM2ForCausalLM",
    "InternLMForCausalLM", "InternVLChatModel", "JAISLMHeadModel", "LlamaForCausalLM", "LLaMAForCausalLM",
    "MistralForCausalLM", "MixtralForCausalLM", "NemotronForCausalLM", "Phi3ForCausalLM", "Qwen2ForCausalLM",
    "Qwen2MoeForCausalLM", "QWenLMHeadModel", "Qwen2VLForConditionalGeneration",
})  # fmt: skip
"""`_PP_SUPPORTED_MODELS` of vLLM 0.6.2, the last release with a list; earlier ones had fewer of them."""
GOT = {
    "Llama4ForConditionalGeneration": ("0", "0.8.4", "vllm-project/vllm issue 16231"),
    "NemotronHForCausalLM": ("0", "0.11.1", "vllm-project/vllm issue 27968"),
    "VoxtralForConditionalGeneration": ("0", "0.22.0", "vllm-project/vllm issue 22424"),
    "Step3p5ForCausalLM": ("0", "0.16.0", "vllm-project/vllm issue 33685"),
    "MiniMaxM3SparseForConditionalGeneration": ("0.22.0", "0.24.0", "vllm-project/vllm issue 45455"),
    "MiniMaxM3SparseForCausalLM": ("0.22.0", "0.24.0", "vllm-project/vllm issue 45455"),
}
"""Classes with the releases that were seen to refuse their stages: from the first to before the second."""
_FIX = "use pp 1, or a newer release"


def _any(view: EngineView) -> Found:
    return "pipeline stages are not in this release" if size(view, PP) > 1 else None


def _unlisted(view: EngineView) -> Found:
    names = classes(view)
    if size(view, PP) == 1 or not names or names & LISTED:
        return None
    return f"{min(names)} has no pipeline stages in this release"


def _of(name: str) -> Past:
    since, until, source = GOT[name]

    def finds(view: EngineView) -> Found:
        staged = size(view, PP) > 1 and name in classes(view)
        return f"{name} has no pipeline stages in this release" if staged else None

    return Past("vllm", until, source, finds, PP, _FIX, since, "config")


TABLE = (
    Past("vllm", "0.5.1", "vllm-project/vllm pull request 4412", _any, PP, "use tp, or a newer release",
         at="config"),
    Past("vllm", "0.6.3", "vllm-project/vllm issue 9015", _unlisted, PP, _FIX, "0.5.1", "config"),
    *(_of(name) for name in GOT),
)  # fmt: skip
"""By `launchplan.rules.past`."""
