"""Settings of the recurrent state that do not go together.

## Why

With prefix caching the state of Mamba and linear attention layers is kept at block ends, which takes
prompts cut into chunks. A block size of its own needs prefix caching; stochastic rounding needs a state in
float16; a choice of algorithm belongs to the FlashInfer kernel.

## Fix

Change the setting that is named.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:1595`, `:3442`, `vllm/model_executor/models/config.py:775`,
  `vllm/config/mamba.py:66`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, mapping, on, text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import names_are_known, refuse, vllm_rule
from launchplan.rules.wording import shown

KERNELS = ("triton", "flashinfer", "cpu")


@vllm_rule("ENG212", "state-cache", source="config/vllm.py:3442")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at each setting's companion."""
    settings = view.settings
    block = count(view, "mamba_block_size", 1)
    kernel = text(view, "mamba_backend") or "triton"
    if kernel.lower() not in KERNELS and names_are_known(view):
        message = f"there is no mamba-backend {shown(kernel)}"
        yield refuse(view, "mamba_backend", message, "use triton or flashinfer", source="config/mamba.py:20")
    if settings.model.hybrid and settings.prefix_caching and settings.chunked_prefill is False:
        message = f"{settings.model.name} caches prefixes of a recurrent state only with chunked prefill"
        place = "model_executor/models/config.py:775"
        yield refuse(view, "enable_chunked_prefill", message, "leave chunked prefill on", source=place)
    if block is not None and block != settings.max_model_len and not settings.prefix_caching:
        message = f"mamba-block-size {block} without prefix caching"
        yield refuse(view, "mamba_block_size", message, "leave prefix caching on, or remove it")
    rounding = on(view, "enable_mamba_cache_stochastic_rounding") or bool(
        mapping(view, "mamba_config").get("enable_stochastic_rounding")
    )
    if rounding and text(view, "mamba_ssm_cache_dtype") != "float16":
        message = "stochastic rounding needs a state in float16"
        name = "enable_mamba_cache_stochastic_rounding"
        yield refuse(view, name, message, "add --mamba-ssm-cache-dtype float16", source="config/vllm.py:1595")
    if view.arguments["mamba_ssu_algorithm"] is not None and kernel.lower() != "flashinfer":
        message = f"mamba-ssu-algorithm is for mamba-backend flashinfer, not {kernel}"
        yield refuse(view, "mamba_ssu_algorithm", message, "remove it", source="config/mamba.py:76")
