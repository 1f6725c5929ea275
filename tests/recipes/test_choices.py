"""What another setting would change is told only where the rules take it."""

from __future__ import annotations

import pytest

from launchplan import api
from launchplan.resources import recipes_dir


@pytest.mark.parametrize(
    ("recipe", "choices"),
    [
        # SGLang runs Kimi-K3 with decode context parallelism on Blackwell only, so not on this host's H200.
        ("moonshotai/kimi-k3-16xh200-sglang", {"serve.kv_cache_dtype: fp8_e4m3", "parallel.tp: 32"}),
        ("Qwen/qwen3.8-fp8-2x8-b300", {"parallel.dcp: 4", "parallel.tp: 32", "serve.max_model_len: 100000"}),
    ],
)
def test_choices_are_ones_that_start(recipe: str, choices: set[str]) -> None:
    (pool,) = api.memory(recipes_dir() / f"{recipe}.yaml").pools
    assert {choice.name for choice in pool.choices} == choices
