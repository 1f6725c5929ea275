"""A layout that an older release refused.

## Why

Layouts that work today were refused once: layers that the stages do not divide, model classes without
pipeline stages or without copies of KV heads, towers whose heads were not padded. Who runs an old
release, meets them.

## Fix

The layout that the rule names, or a newer release.

## References

- vllm-project/vllm issues 1581, 6114, 8097, 9015, 16231, 22424, 24004, 26876, 27968, 29447, 29670, 33685,
  36697, 40955 and 45455, pull requests 34445, 36734 and 41312, NVIDIA-NeMo/Skills issue 1059,
  vllm-project/vime pull request 66, sgl-project/sglang issues 6296, 6913, 19045
  and 26690. SGLang's assertions are those of its
  `srt/server_args.py`
- Bounds read in the source of every release: micro batches, vLLM `config/__init__.py:484` (0.11.0) and
  `config/vllm.py:1431` (0.24.0, with nixl_ep); nnodes beside Ray, `engine/arg_utils.py:1462` (0.11.1);
  ranks of one node, `config/parallel.py:569` (0.11.1); stages of Nemotron-H, `nemotron_h.py:545` (0.11.1),
  and Voxtral, `voxtral.py:352` (0.22.0), each the first that makes the tensors between stages; copies of KV
  heads, `bailing_moe.py:93` (0.11.1). The other releases are those of the reports
- Classes without stages, for every release since vLLM 0.5.1: `_PP_SUPPORTED_MODELS` of `config.py`, since
  0.6.3 `SupportsPP` and `forward` of the class (`model_executor/models/interfaces.py`, `supports_pp`)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.architecture import Architecture
from launchplan.engines.view import EngineView
from launchplan.memory.kv.vllm import VllmCacheSettings
from launchplan.memory.kv.vllm.caches import block_tokens
from launchplan.rules import past_sglang, past_stages
from launchplan.rules.past import Found, Past, classes, refusals, size, unread
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.versions import reaches
from launchplan.units import GIB, plural

COPIES_SINCE = {
    "ChatGLMModel": "0.2.2", "BailingMoeForCausalLM": "0.11.1", "BailingMoeV2ForCausalLM": "0.11.1",
}  # fmt: skip
"""Classes that got copies of KV heads with a release."""
SPLIT_TOWERS = frozenset({"Glm4vForConditionalGeneration", "Glm4vMoeForConditionalGeneration"})
"""Classes whose towers were split by tp at first."""
FP8_BLOCK, SMALL_STEP = 128, 2048
"""The second: tokens of a step that vLLM takes by itself on a GPU below 70 GiB, and on an A100."""
DBO_BACKENDS, NIXL_SINCE = frozenset({"deepep_low_latency", "deepep_high_throughput"}), "0.24.0"
TP, PP = "tensor_parallel_size", "pipeline_parallel_size"


def _uneven_layers(view: EngineView) -> Found:
    layers = view.architecture.num_hidden_layers if view.architecture else None
    stages = size(view, PP)
    if layers is None or layers % stages == 0:
        return None
    return f"pp {stages} does not divide {plural(layers, 'layer')}, which this release asks for"


def _copies(*names: str) -> Past:
    def finds(view: EngineView) -> Found:
        count, tp = _kv_heads(view.architecture), size(view, TP)
        if count is None or not classes(view) & {*names} or count % tp == 0:
            return None
        return (
            f"tp {tp} does not divide the {plural(count, 'KV head')}, which this release copies for no rank"
        )

    source = "vllm-project/vllm issues 1581, 26876"
    return Past("vllm", COPIES_SINCE[names[0]], source, finds, TP, "use a tp that divides them")


def _kv_heads(model: Architecture | None) -> int | None:
    groups = model.dims.get("multi_query_group_num") if model else None
    return groups if isinstance(groups, int) else model.num_key_value_heads if model else None


def _tower(view: EngineView) -> Found:
    model, tp = view.architecture, size(view, TP)
    heads = model.vision.num_heads if model and model.vision else None
    if heads is None or "InternVLChatModel" not in classes(view) or heads % tp == 0:
        return None
    return f"tp {tp} does not divide {plural(heads, 'head')} of the vision tower, and none is padded"


def _shared_tower(view: EngineView) -> Found:
    model, tp = view.architecture, size(view, TP)
    heads = model.vision.num_heads if model and model.vision else None
    if heads is None or not classes(view) & SPLIT_TOWERS or heads % tp == 0:
        return None
    whole = unread(view, "--enable-multimodal-encoder-data-parallel") is not None
    if whole or view.arguments["mm_encoder_tp_mode"] == "data":
        return None
    return f"tp {tp} does not divide {plural(heads, 'head')} of the vision tower"


def _world(view: EngineView) -> Found:
    """`vllm serve` without Ray and without `--nnodes` starts every rank on this node."""
    world, here = size(view, TP) * size(view, PP), view.gpus_on_node
    if here is None or world <= here or size(view, "nnodes") > 1:
        return None
    if view.arguments["distributed_executor_backend"] is not None:
        return None
    return (
        f"tp x pp = {world} ranks on a node of {plural(here, 'GPU')}: this release takes ray only when told"
    )


def _micro_batches(view: EngineView) -> Found:
    backend = view.arguments["all2all_backend"] or view.env.get("VLLM_ALL2ALL_BACKEND") or ""
    release = view.pool.deployment.version
    takes = DBO_BACKENDS | ({"nixl_ep"} if reaches(release, NIXL_SINCE) else set())
    if not view.arguments["enable_dbo"] or backend in takes:
        return None
    return "enable-dbo needs a deepep all2all backend"


def _ray_ranks(view: EngineView) -> Found:
    if size(view, "nnodes") == 1 or view.arguments["data_parallel_backend"] != "ray":
        return None
    return f"nnodes {size(view, 'nnodes')} does not go with data-parallel-backend ray"


def _attention_dp_drafts(view: EngineView) -> Found:
    on = view.arguments["enable_dp_attention"] and view.arguments["speculative_algorithm"]
    return "attention data parallelism beside a draft model hangs in this release" if on else None


def _fused_experts(view: EngineView) -> Found:
    """DeepEP of that time placed the shared expert among the routed ones."""
    moe, tp = view.architecture.moe if view.architecture else None, size(view, "tp_size")
    if moe is None or unread(view, "--enable-deepep-moe") is None or not moe.shared_experts:
        return None
    total = moe.num_experts + moe.shared_experts
    return f"{total} experts, one of them shared, do not divide over {tp} ranks" if total % tp else None


def _gate_blocks(view: EngineView) -> Found:
    model = view.architecture
    linear, tp = model.linear_attention if model else None, size(view, "tp_size")
    if model is None or linear is None or linear.kind != "gdn" or model.quantization.method != "fp8":
        return None
    values, block = linear.num_value_heads, (model.quantization.weight_block_size or (1,))[0]
    if values is None or values % tp or values // tp % block == 0:
        return None
    return (
        f"gate projection of {values} heads / tp {tp} = {values // tp}, no multiple of the FP8 block {block}"
    )


def _shared_blocks(view: EngineView) -> Found:
    """Shared experts have FP8 blocks beside four-bit experts, and were not padded."""
    model, tp = view.architecture, size(view, TP)
    width = model.moe.shared_intermediate_size if model and model.moe else None
    if model is None or model.family != "deepseek_v4" or width is None or width % tp:
        return None
    part = width // tp
    if part % FP8_BLOCK == 0:
        return None
    return f"shared experts {width} wide / tp {tp} = {part}, no multiple of the FP8 block {FP8_BLOCK}"


def _state_block(view: EngineView) -> Found:
    """The block of a hybrid model holds one state, and a step had to hold the block."""
    model, gpu, given = view.architecture, view.gpu, view.arguments
    if model is None or not model.is_hybrid or given["enable_prefix_caching"] is not True:
        return None
    step = given["max_num_batched_tokens"]
    if not isinstance(step, int):
        small = gpu is not None and (gpu.id.startswith("a100") or (gpu.memory_total_bytes or 0) < 70 * GIB)
        step = SMALL_STEP if small else None
    name = given["kv_cache_dtype"]
    settings = VllmCacheSettings(
        max_model_len=1, tp=size(view, TP), cache_dtype=name if isinstance(name, str) else "auto"
    )
    block = block_tokens(model, settings)
    if step is None or block <= step:
        return None
    return f"a block of {block:,} tokens holds a state, and a step has {step:,} (max-num-batched-tokens)"


TABLE = (
    Past("vllm", "0.5.2", "vllm-project/vllm issue 6114", _uneven_layers, PP, "use a pp that divides them"),
    *past_stages.TABLE,
    *past_sglang.TABLE,
    _copies("ChatGLMModel"),
    _copies("BailingMoeForCausalLM", "BailingMoeV2ForCausalLM"),
    Past("vllm", "0.6.2", "vllm-project/vllm issue 8097", _tower, TP, "use a tp that divides them"),
    Past("vllm", "0.10.2", "vllm-project/vllm issue 24004", _shared_tower, TP, "use a tp that divides them"),
    Past("vllm", "0.33.0", "vllm-project/vllm issue 29447, NVIDIA-NeMo/Skills issue 1059", _world, TP,
         "add --nnodes, or --distributed-executor-backend ray", "0.11.1", "config"),
    Past("vllm", "0.20.2", "vllm-project/vllm issue 40955, pull request 41312", _shared_blocks, TP,
         "use a smaller tp", "0.20.0"),
    Past("vllm", "0.18.0", "vllm-project/vllm issue 36697, pull requests 34445, 36734", _state_block,
         "max_num_batched_tokens", "raise max-num-batched-tokens", "0.17.0", "config"),
    Past("vllm", "0.33.0", "vllm-project/vllm issue 29670", _micro_batches, "enable_dbo",
         "set all2all-backend to deepep_low_latency", "0.11.0", "config"),
    Past("vllm", "0.33.0", "vllm-project/vime pull request 66", _ray_ranks, "data_parallel_backend",
         "leave it out", "0.11.1", "config"),
    Past("sglang", "0.4.7", "sgl-project/sglang issue 6296", _attention_dp_drafts, "speculative_algorithm",
         "drop one of the two, or use a newer release", at="run"),
    Past("sglang", "0.4.7", "sgl-project/sglang issue 6913", _fused_experts, "tp_size",
         "use a newer release, or disable-shared-experts-fusion"),
    Past("sglang", "0.5.14", "sgl-project/sglang issue 19045", _gate_blocks, "tp_size",
         "use a newer release"),
)  # fmt: skip


@rule("PAR406", "layout-of-release", severity=ERROR, at="worker")
def check(view: EngineView) -> Iterator[Violation]:
    """Look the layout up among what the release is known to refuse."""
    yield from refusals(view, TABLE)
