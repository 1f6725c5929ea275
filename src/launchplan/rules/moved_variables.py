"""Variables that releases of vLLM dropped, and the setting that took their place.

Which releases read a variable is in the catalog (`vllm/envs.py` of each); where its meaning went to is in
vLLM 0.33.0: `config/attention.py:57-81`, `config/kernel.py:305` and `:363`, `engine/arg_utils.py:1318` and
`:1518`, `config/profiler.py:77-161`, `config/compilation.py:162`, `config/cache.py:275`.
"""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.catalog import EngineFacts


@dataclass(frozen=True, slots=True)
class Moved:
    """A setting under `args`."""

    key: str
    """The flag, with the key of its JSON behind a dot."""
    value: str | None = None
    """The value that means what the variable switched on."""

    @property
    def text(self) -> str:
        """The setting as a cure names it."""
        return f"{self.key}: {self.value}" if self.value else self.key


_ATTENTION, _PROFILER = "attention-config", "profiler-config"
_VLLM = {
    "VLLM_ATTENTION_BACKEND": Moved("attention-backend"),
    "VLLM_V1_USE_PREFILL_DECODE_ATTENTION": Moved("attention-backend", "ROCM_ATTN"),
    "VLLM_FLASH_ATTN_VERSION": Moved(f"{_ATTENTION}.flash_attn_version"),
    "VLLM_FLASH_ATTN_MAX_NUM_SPLITS_FOR_CUDA_GRAPH": Moved(
        f"{_ATTENTION}.flash_attn_max_num_splits_for_cuda_graph"
    ),
    "VLLM_USE_TRTLLM_ATTENTION": Moved(f"{_ATTENTION}.use_trtllm_attention"),
    "VLLM_FLASHINFER_DISABLE_Q_QUANTIZATION": Moved(f"{_ATTENTION}.disable_flashinfer_q_quantization"),
    "VLLM_USE_TRTLLM_RAGGED_DEEPSEEK_PREFILL": Moved(f"{_ATTENTION}.mla_prefill_backend", "TRTLLM_RAGGED"),
    "VLLM_DISABLE_FLASHINFER_PREFILL": Moved(f"{_ATTENTION}.mla_prefill_backend", "FLASH_ATTN"),
    "VLLM_USE_CUDNN_PREFILL": Moved(f"{_ATTENTION}.mla_prefill_backend"),
    "VLLM_ALL2ALL_BACKEND": Moved("all2all-backend"),
    "VLLM_FLASHINFER_MOE_BACKEND": Moved("moe-backend"),
    "VLLM_USE_FLASHINFER_MOE_FP16": Moved("moe-backend"),
    "VLLM_USE_FLASHINFER_MOE_FP8": Moved("moe-backend"),
    "VLLM_USE_FLASHINFER_MOE_FP4": Moved("moe-backend"),
    "VLLM_USE_FLASHINFER_MOE_MXFP4_BF16": Moved("moe-backend"),
    "VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8": Moved("moe-backend", "flashinfer_trtllm"),
    "VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8_CUTLASS": Moved("moe-backend", "flashinfer_cutlass"),
    "VLLM_MXFP4_USE_MARLIN": Moved("moe-backend", "marlin"),
    "VLLM_NVFP4_GEMM_BACKEND": Moved("linear-backend"),
    "VLLM_USE_FBGEMM": Moved("linear-backend", "fbgemm"),
    "VLLM_USE_NVFP4_CT_EMULATIONS": Moved("linear-backend", "emulation"),
    "VLLM_TEST_FORCE_FP8_MARLIN": Moved("linear-backend", "marlin"),
    "VLLM_FLASHINFER_ALLREDUCE_FUSION_THRESHOLDS_MB": Moved(
        "compilation-config.pass_config.fi_allreduce_fusion_max_size_mb"
    ),
    "VLLM_PREFIX_CACHE_RETENTION_INTERVAL": Moved("prefix-cache-retention-interval"),
    "VLLM_MM_HASHER_ALGORITHM": Moved("mm-hasher-algorithm"),
    "VLLM_MM_INPUT_CACHE_GIB": Moved("mm-processor-cache-gb"),
    "VLLM_TORCH_PROFILER_DIR": Moved(f"{_PROFILER}.torch_profiler_dir"),
    "VLLM_TORCH_PROFILER_RECORD_SHAPES": Moved(f"{_PROFILER}.torch_profiler_record_shapes"),
    "VLLM_TORCH_PROFILER_WITH_PROFILE_MEMORY": Moved(f"{_PROFILER}.torch_profiler_with_memory"),
    "VLLM_TORCH_PROFILER_WITH_STACK": Moved(f"{_PROFILER}.torch_profiler_with_stack"),
    "VLLM_TORCH_PROFILER_WITH_FLOPS": Moved(f"{_PROFILER}.torch_profiler_with_flops"),
    "VLLM_TORCH_PROFILER_USE_GZIP": Moved(f"{_PROFILER}.torch_profiler_use_gzip"),
    "VLLM_TORCH_PROFILER_DUMP_CUDA_TIME_TOTAL": Moved(f"{_PROFILER}.torch_profiler_dump_cuda_time_total"),
    "VLLM_TORCH_PROFILER_DISABLE_ASYNC_LLM": Moved(f"{_PROFILER}.ignore_frontend"),
    "VLLM_PROFILER_DELAY_ITERS": Moved(f"{_PROFILER}.delay_iterations"),
    "VLLM_PROFILER_MAX_ITERS": Moved(f"{_PROFILER}.max_iterations"),
}
BY_ENGINE = {"vllm": _VLLM}


def moved_to(facts: EngineFacts, name: str) -> Moved | None:
    """Give the setting that took a variable's place, where the release has that flag."""
    found = BY_ENGINE.get(facts.engine, {}).get(name)
    return found if found is not None and facts.find(f"--{found.key.partition('.')[0]}") else None
