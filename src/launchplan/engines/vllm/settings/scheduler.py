"""Context length and batch sizes."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.catalog import Gpu
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.settings.reading import count, mapping, on, text
from launchplan.engines.vllm.settings.types import ModelFacts, ParallelSettings
from launchplan.units import GIB

FALLBACK_LENGTH = 2048
"""Context of a model whose configuration doesn't say (vllm/config/model.py:2570)."""
BATCHED_DP_TOKENS = 256
"""Tokens of a batch where experts get batches of fixed size (vllm/config/scheduler.py:42)."""
DIFFUSION_SEQS = 8
_DIFFUSION = frozenset({"DiffusionGemmaForBlockDiffusion"})
_DEFAULT_SEQS = 128
_SMALL_LARGE_GPUS = frozenset({(12, 1)})
"""Capabilities of GPUs with much memory and little compute: they get the small defaults."""


@dataclass(frozen=True, slots=True)
class Batches:
    """Sizes of the scheduler; None where the GPU decides and isn't known."""

    tokens: int | None
    seqs: int | None


def derived_length(view: EngineView) -> int | None:
    """Give the context that the model's configuration allows (vllm/config/model.py:2541)."""
    model = view.architecture
    if model is None:
        return None
    derived = model.derived_max_model_len or FALLBACK_LENGTH
    window = model.sliding_window
    return min(derived, window) if on(view, "disable_sliding_window") and window else derived


def context_length(view: EngineView, derived: int | None) -> int | None:
    """Give the context that is served before a draft model limits it (vllm/config/model.py:2635)."""
    given = count(view, "max_model_len", 1)
    if given is not None:
        return given
    model = view.architecture
    rope = model.rope if model else None
    if derived is not None and rope is not None and rope.type == "longrope":
        return rope.original_max_position_embeddings or derived
    return derived


def chunked_prefill(view: EngineView) -> bool:
    """Tell whether long prompts are cut (vllm/engine/arg_utils.py:3041); on for every causal model."""
    given = view.arguments["enable_chunked_prefill"]
    return given if isinstance(given, bool) else not pools_whole(view)


def pools_whole(view: EngineView) -> bool:
    """Tell whether answers are pooled from whole prompts (vllm/config/model.py:2206)."""
    config = mapping(view, "pooler_config")
    if not config:
        return False
    kinds = {str(config.get(name)).upper() for name in ("pooling_type", "seq_pooling_type")}
    steps = {str(config.get(name)).upper() for name in ("pooling_type", "tok_pooling_type")}
    return bool(kinds & {"MEAN", "CLS"}) or "STEP" in steps


def prefix_caching(view: EngineView, model: ModelFacts) -> bool | None:
    """Tell whether prefixes are cached (vllm/engine/arg_utils.py:3079, config/model.py:2242)."""
    if model.name == "UnlimitedOCRForCausalLM":
        return False
    given = view.arguments["enable_prefix_caching"]
    if encodes_only(view, model):
        return False
    if isinstance(given, bool):
        return given
    return not pools_whole(view) and model.supports("attention_free") is not True


def encodes_only(view: EngineView, model: ModelFacts) -> bool:
    """Tell whether it runs a multimodal model's encoder alone (vllm/config/vllm.py:1523, :2889)."""
    if model.multimodal is not True:
        return False
    config = mapping(view, "ec_transfer_config")
    alone = config.get("ec_connector") is not None and config.get("ec_role") == "ec_producer"
    return alone or on(view, "mm_encoder_only")


def batch_defaults(gpu: Gpu | None) -> Batches:
    """Give the defaults of an API server on a GPU (vllm/engine/arg_utils.py:2940)."""
    if gpu is None or gpu.vendor != "nvidia" or gpu.memory_total_bytes is None:
        return Batches(None, None)
    if gpu.memory_total_bytes >= 160 * GIB:
        return Batches(16384, 1024)
    large = gpu.memory_total_bytes >= 70 * GIB
    if large and "a100" not in gpu.id and gpu.capability not in _SMALL_LARGE_GPUS:
        return Batches(8192, 1024)
    return Batches(2048, 256)


def batches(view: EngineView, model: ModelFacts, parallel: ParallelSettings, length: int | None) -> Batches:
    """Resolve tokens and sequences of a batch (vllm/engine/arg_utils.py:3151)."""
    default = batch_defaults(view.gpu)
    tokens, seqs = count(view, "max_num_batched_tokens", 1), count(view, "max_num_seqs", 1)
    factor = 2 if text(view, "performance_mode") == "throughput" else 1
    wide = seqs if seqs is not None else _times(default.seqs, factor)
    if tokens is None:
        start = BATCHED_DP_TOKENS if parallel.batched_dp_moe else default.tokens
        tokens = _limited(_times(start, factor), wide, length, chunked=chunked_prefill(view))
    if seqs is None:
        seqs = min(wide, tokens) if wide is not None and tokens is not None else None
    if model.name in _DIFFUSION and seqs is not None and seqs >= _DEFAULT_SEQS:
        seqs = DIFFUSION_SEQS
    return Batches(tokens, seqs)


def _limited(tokens: int | None, seqs: int | None, length: int | None, *, chunked: bool) -> int | None:
    if tokens is None or length is None or seqs is None:
        return None
    raised = tokens if chunked else max(length, tokens)
    return min(seqs * length, raised)


def _times(number: int | None, factor: int) -> int | None:
    return None if number is None else number * factor
