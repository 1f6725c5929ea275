"""Which CUDA graphs a vLLM process captures, and whether its pool makes room for them.

The estimate of the graphs is subtracted by default since 0.20 (vllm/envs.py of 0.19.1 and 0.20.0,
VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS; logs say 0.21), on AMD's GPUs since 0.26 (v1/worker/gpu_worker.py).
The second model runner gives no estimate before 0.29 (v1/worker/gpu/model_runner.py,
profile_cudagraph_memory); config/vllm.py of each release says whom it runs by default since 0.22.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.catalog.version import version_key
from launchplan.engines.vllm.settings.reading import count, mapping, on, speculative, variable
from launchplan.memory.vllm.graphs import capture_sizes, captured_graphs

if TYPE_CHECKING:
    from launchplan.engines.view import EngineView

_ASKED, _COUNTED, _COUNTED_ON_AMD = (0, 18), (0, 20), (0, 26)
_SECOND_RUNNER, _DENSE, _ESTIMATES = (0, 22), (0, 25), (0, 29)
_BOTH_KINDS, _ADAPTERS_APART = (0, 11), (0, 11, 1)
"""Since then decoding has graphs of its own by default, and adapters have."""
_WIDE_STEPS = (0, 11, 1)
_SMALL_STEP, _WIDE_STEP = 8, 16
_LARGEST = 512
# Classes that the second runner runs by default, with the release that began it; plain and dense ones first.
_FIRST = {"Qwen3ForCausalLM": (0, 22), "LlamaForCausalLM": (0, 23), "MistralForCausalLM": (0, 23)}
_ANY_FORMAT = (0, 24)
_LATER = {
    "DeepseekV2ForCausalLM": (0, 24),
    "Qwen2MoeForCausalLM": (0, 24),
    "GraniteMoeForCausalLM": (0, 24),
    "InklingForCausalLM": (0, 26),
    "InklingForConditionalGeneration": (0, 26),
    "LongcatFlashNgramForCausalLM": (0, 26),
    "KimiK3ForConditionalGeneration": (0, 27),
    "DeepseekV4ForCausalLM": (0, 28),
}
_DRAFTS = frozenset({"eagle", "eagle3", "mtp"})
_DRAFTS_LATER = frozenset({"dflash", "dspark"})


def captured(view: EngineView, mode: str | None, seqs: int, drafts: int) -> tuple[int, int]:
    """Count batch sizes and graphs; `mode` is the resolved one, else the default of the release."""
    mode = mode or _default_mode(view)
    if on(view, "enforce_eager") or mode == "NONE":
        return 0, 0
    sizes = _given_sizes(view)
    if sizes is None:
        largest = count(view, "max_cudagraph_capture_size", 0)
        largest = min(2 * seqs * (1 + drafts), _LARGEST) if largest is None else largest
        sizes = capture_sizes(largest, step=_WIDE_STEP if _release(view) >= _WIDE_STEPS else _SMALL_STEP)
    kinds = 2 if on(view, "enable_lora") and _release(view) >= _ADAPTERS_APART else 1
    return len(sizes), captured_graphs(mode, sizes, seqs, tokens=1 + drafts, kinds=kinds)


def _given_sizes(view: EngineView) -> tuple[int, ...] | None:
    given = view.arguments["cudagraph_capture_sizes"]
    given = given or mapping(view, "compilation_config").get("cudagraph_capture_sizes")
    if not isinstance(given, list | tuple):
        return None
    return tuple(each for each in given if isinstance(each, int))


def _default_mode(view: EngineView) -> str:
    written = mapping(view, "compilation_config").get("cudagraph_mode")
    if isinstance(written, str):
        return written.upper()
    return "FULL_AND_PIECEWISE" if _release(view) >= _BOTH_KINDS else "PIECEWISE"


def early_graphs(view: EngineView) -> bool:
    """Tell whether a driver before CUDA 12.4 may run the release: from 0.20 on it is built with CUDA 13."""
    return _release(view) < _COUNTED


def graphs_counted(view: EngineView) -> bool:
    """Tell whether the pool is smaller by the estimate of the graphs."""
    release = _release(view)
    asked = variable(view, "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS") if release >= _ASKED else None
    amd = view.gpu is not None and view.gpu.vendor == "amd"
    if (amd and release < _COUNTED_ON_AMD) or _runner_gives_none(view, release):
        return False
    return asked if asked is not None else release >= _COUNTED


def _release(view: EngineView) -> tuple[int, ...]:
    """Give the release; a version that is none is taken for a new one."""
    return version_key(view.pool.deployment.version) or (1,)


def _runner_gives_none(view: EngineView, release: tuple[int, ...]) -> bool:
    """Tell whether the second model runner runs, which has no estimate yet."""
    if not _SECOND_RUNNER <= release < _ESTIMATES:
        return False
    forced = variable(view, "VLLM_USE_V2_MODEL_RUNNER")
    if forced is not None:
        return forced
    config = speculative(view)
    known = _DRAFTS | _DRAFTS_LATER if release >= _DENSE else _DRAFTS
    return (config is None or config.get("method") in known) and _by_default(view, release)


def _by_default(view: EngineView, release: tuple[int, ...]) -> bool:
    """Tell whether the second runner is the model's default one in a release from 0.22 to 0.28."""
    model = view.architecture
    if model is None or not model.architectures:
        return False
    name = model.architectures[0]
    if release < _DENSE:
        plain = not model.is_moe and not model.quantization.is_quantized
        began = _FIRST.get(name) if plain or release >= _ANY_FORMAT else None
        began = began or _LATER.get(name)
        return began is not None and release >= began
    named = name in _LATER and release >= _LATER[name]
    return named or not (model.is_moe or model.is_hybrid)
