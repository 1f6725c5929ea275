"""The MoonEP exchange with a model or a placement that it does not take.

## Why

`--all2all-backend moonep` moves unquantized BF16 experts that lie in a row on the ranks; quantized weights,
other types, the expert load balancer and another placement are refused.

## Fix

Take another `--all2all-backend`.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:2105-2140`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import on, text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("PAR213", "moon-exchange", source="config/vllm.py:2111")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at weights and placement."""
    settings = view.settings
    if settings.parallel.all2all != "moonep":
        return
    placement = text(view, "expert_placement_strategy") or "linear"
    problem = None
    if settings.quantization is not None:
        problem = f"moves unquantized experts, the checkpoint's are {settings.quantization}"
    elif settings.dtype not in {None, "bfloat16"}:
        problem = f"moves bfloat16, dtype is {settings.dtype}"
    elif on(view, "enable_eplb"):
        problem = "does not go with enable-eplb"
    elif placement != "linear":
        problem = f"wants experts in a row, expert-placement-strategy is {placement}"
    if problem is not None:
        yield refuse(view, "all2all_backend", f"all2all-backend moonep {problem}", "take another backend")
