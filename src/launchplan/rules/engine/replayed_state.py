"""Replay of a recurrent state that the model, the runner or the cache does not allow.

## Why

`--use-replayssm` keeps the inputs of some steps and recomputes the state of Mamba2 and KDA layers from
them. Other layers have no such state. With the Triton kernel it needs the first model runner; with
FlashInfer it does not go with prefix caching; drafts of Mamba2 models need FlashInfer; KV connectors carry
no replayed state.

## Fix

Remove `--use-replayssm`, or change what is named.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:3476-3560`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, mapping, on, text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

KDA = frozenset({"KimiLinearForCausalLM", "KimiK3ForConditionalGeneration"})
FLASHINFER_ROWS = 16
"""Steps that the FlashInfer kernel can replay (vllm/config/vllm.py:3482)."""


@vllm_rule("ENG211", "replayed-state", source="config/vllm.py:3476")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at model, kernel and cache."""
    if on(view, "use_replayssm"):
        problem = next((text for broken, text in _demands(view) if broken), None)
        if problem is not None:
            yield refuse(view, "use_replayssm", f"use-replayssm {problem}", "remove it")


def _demands(view: VllmView) -> Iterator[tuple[bool, str]]:
    settings, kernel = view.settings, text(view, "mamba_backend") or "triton"
    rows, drafted = count(view, "replayssm_buffer_len", 1) or 16, settings.spec is not None
    cached = bool(settings.prefix_caching and settings.model.hybrid)
    yield (
        settings.model.supports("replayssm") is False,
        f"needs a state to replay, {settings.model.name} has none",
    )
    flashinfer = kernel.lower() == "flashinfer"
    yield flashinfer and rows > FLASHINFER_ROWS, f"takes {FLASHINFER_ROWS} rows with flashinfer, not {rows}"
    if drafted and settings.model.name in KDA:
        yield on(view, "enable_mamba_cache_stochastic_rounding"), "does not go with stochastic rounding"
        yield cached and not settings.v2_runner, "with prefix caching needs model runner V2"
        yield settings.parallel.pp > 1, "does not go with pipeline stages"
        yield kernel.lower() != "triton", "needs mamba-backend triton"
        return
    if drafted:
        yield cached, "with drafts does not go with prefix caching"
        yield not flashinfer, "with drafts needs mamba-backend flashinfer"
    elif flashinfer:
        yield cached, "with flashinfer does not go with prefix caching"
    else:
        yield kernel.lower() != "triton", "needs mamba-backend triton or flashinfer"
        yield settings.v2_runner is True, "with triton needs model runner V1, or mamba-backend flashinfer"
    connected = mapping(view, "kv_transfer_config").get("kv_connector") is not None
    yield connected, "does not go with a KV connector"
