"""The lines of engine logs that tell of memory, one row a wording.

vLLM of 0.11 to 0.33: gpu_worker.py and gpu_model_runner.py of v1/worker/, v1/core/kv_cache_utils.py and
v1/engine/core.py; before it, worker/worker.py and executor/executor_base.py. SGLang of 0.4 and 0.5:
mem_cache/memory_pool.py, model_executor/model_runner.py, managers/scheduler.py; its GB are divided by 2^30.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Bounded: a log may hold anything.
_NUMBER = r"(-?\d[\d,]{0,30}(?:\.\d{1,12})?)"
_SIZE = _NUMBER + r" ?Gi?B"


@dataclass(frozen=True, slots=True)
class Line:
    """One wording, and the figures that its groups hold."""

    pattern: re.Pattern[str]
    names: tuple[str, ...]


def _line(text: str, *names: str) -> Line:
    """Make a wording of a text in which `#` stands for a number and `@` for a size."""
    escaped = re.escape(text).replace("@", _SIZE).replace(r"\#", _NUMBER).replace(r"\~", ".*?")
    return Line(re.compile(escaped), names)


VLLM = (
    _line("Loading weights took # seconds", "read_s"),
    _line("Model loading took @ memory and # seconds", "weights_gib", "load_s"),
    _line("Model loading took @ and # seconds", "weights_gib", "load_s"),
    _line("Loading model weights took @", "weights_gib"),
    _line("Available KV cache memory: @", "pool_gib"),
    _line("GPU KV cache size: # tokens", "pool_tokens"),
    _line("Maximum concurrency for # tokens per request: #x", "request_tokens", "concurrency_x"),
    _line("Estimated CUDA graph memory: @ total", "graphs_estimated_gib"),
    _line("Graph capturing finished in # secs, took @", "capture_s", "graphs_gib"),
    _line("CUDA graph pool memory: @ (actual), @ (estimated)", "graphs_gib", "graphs_estimated_gib"),
    _line("Free memory on device (#/@) on startup", "free_gib", "total_gib"),
    _line("Desired GPU memory utilization is (#, @)", "share", "wanted_gib"),
    _line("Actual usage is @ for consumed memory (weights + non-torch)", "consumed_gib"),
    _line("Actual usage is @ for weight,", "weights_gib"),
    _line("@ for peak activation", "peak_gib"),
    _line("@ for non-torch memory", "non_torch_gib"),
    _line("@ for CUDAGraph memory", "graphs_gib"),
    _line("Current kv cache memory in use is @", "pool_gib"),
    _line("can use total_gpu_memory (@) x gpu_memory_utilization (#)", "total_gib", "share"),
    _line("model weights take @", "weights_gib"),
    _line("non_torch_memory takes @", "non_torch_gib"),
    _line("PyTorch activation peak memory takes @", "peak_gib"),
    _line("memory reserved for KV Cache is @", "pool_gib"),
    Line(re.compile(r"# (?:GPU|CUDA|cuda) blocks: " + _NUMBER), ("pool_blocks",)),
    _line("init engine (profile, create kv cache, warmup model) took # s", "init_s"),
)
SGLANG = (
    _line("Load weight begin. avail mem=@", "before_gib"),
    Line(re.compile(rf"Load weight end\..*?elapsed={_NUMBER} s"), ("load_s",)),
    Line(
        re.compile(rf"Load weight end\..*?avail mem={_SIZE}, mem usage={_SIZE}"), ("after_gib", "weights_gib")
    ),
    Line(re.compile(rf"KV Cache is allocated\..*?#tokens: {_NUMBER}"), ("pool_tokens",)),
    Line(re.compile(rf"KV Cache is allocated\..*?K size: {_SIZE}, V size: {_SIZE}"), ("k_gib", "v_gib")),
    Line(re.compile(rf"KV Cache is allocated\..*?KV size: {_SIZE}"), ("kv_gib",)),
    _line("SWAKVPool mem usage: @, swa size: #, full size: #", "kv_gib", "window_tokens", "pool_tokens"),
    _line("Mamba Cache is allocated. max_mamba_cache_size: #", "state_slots"),
    Line(re.compile(rf"conv_state size: {_SIZE}, ssm_state size: {_SIZE}"), ("conv_gib", "ssm_gib")),
    Line(
        re.compile(
            rf"intermediate_ssm_state_cache size: {_SIZE},? intermediate_conv_window_cache size: {_SIZE}"
        ),
        ("drafted_ssm_gib", "drafted_conv_gib"),
    ),
    _line("Memory pool end. avail mem=@", "after_pool_gib"),
    Line(
        re.compile(rf"Capture (?:target decode )?(?:cuda|CUDA) graph end\..*?elapsed[=:] ?{_NUMBER} s"),
        ("capture_s",),
    ),
    Line(
        re.compile(rf"Capture (?:target decode )?(?:cuda|CUDA) graph end\..*?mem usage={_SIZE}"),
        ("graphs_gib",),
    ),
    _line("max_total_num_tokens=#", "pool_tokens"),
    _line("max_running_requests=#", "running_requests"),
    _line("available_gpu_mem=@", "unused_gib"),
)
START = {
    "vllm": re.compile(r"vLLM API server version|Initializing an? (?:V1 )?LLM engine|non-default args:"),
    "sglang": re.compile(r"server_args=ServerArgs\("),
}
"""A line that a new start of the engine begins with."""
VERSION = {
    "vllm": re.compile(r"(?:vLLM API server version|LLM engine \(v?|█\s+version)\s*([0-9][\w.+-]*)"),
    "sglang": re.compile(r"[Ss][Gg][Ll]ang(?: version|==|-)\s*v?([0-9]+\.[0-9][\w.+-]*)"),
}
