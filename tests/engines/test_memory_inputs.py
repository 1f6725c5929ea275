"""What decides a rank's cache: the layouts and blocks that vLLM 0.33.0 resolved on which GPU."""

from __future__ import annotations

import pytest

from launchplan import api
from launchplan.engines.budgets import memory_inputs
from launchplan.memory.kv.vllm import plan_cache
from launchplan.memory.vllm.budget import VllmMemory


def _inputs(command: str, gpu: str) -> VllmMemory:
    report = api.lint(
        f"vllm serve {command}", gpu=gpu, nodes=1, gpus_per_node=8, version="0.33.0", memory=False
    )
    assert report.plan is not None
    found = memory_inputs(report.plan.views[0])
    assert isinstance(found, VllmMemory)
    return found


@pytest.mark.parametrize(
    ("gpu", "more", "block"),
    [
        ("h200", "", 320),
        ("b200", "", 320),
        ("a100-80gb-sxm", "", 272),
        ("h200", "--no-enable-prefix-caching", 272),
    ],
)
def test_blocks_hold_whole_steps_of_gated_deltanet_checkpoints(gpu: str, more: str, block: int) -> None:
    inputs = _inputs(f"Qwen/Qwen3.5-35B-A3B -tp 8 {more}", gpu)
    plan = plan_cache(inputs.model, inputs.cache)
    assert plan is not None
    assert plan.block_tokens == block


@pytest.mark.parametrize(
    ("model", "gpu", "more", "layout"),
    [
        ("nvidia/DeepSeek-V3.2-NVFP4", "h200", "", "fp8_e4m3"),
        ("nvidia/DeepSeek-V3.2-NVFP4", "b200", "", "fp8_e4m3"),
        ("deepseek-ai/DeepSeek-V3.2", "rtx-pro-6000", "", "fp8_ds_mla"),
        ("deepseek-ai/DeepSeek-V3.2", "h200", "--kv-cache-dtype fp8_ds_mla", "fp8_ds_mla"),
        ("deepseek-ai/DeepSeek-V3.2", "h200", "", "auto"),
    ],
)
def test_latents_of_sparse_attention_are_packed_or_plain(
    model: str, gpu: str, more: str, layout: str
) -> None:
    assert _inputs(f"{model} -tp 8 {more}", gpu).cache.cache_dtype == layout
