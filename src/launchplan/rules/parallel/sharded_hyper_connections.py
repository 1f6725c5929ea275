"""Sequence-parallel hyper-connections for a model without them.

## Why

`--enable-hc-sp` spreads the widened residual stream of models with hyper-connections over the tensor
parallel ranks. Other classes have nothing to spread, and pipeline stages are not supported.

## Fix

Remove `--enable-hc-sp`, or use pp 1.

## References

- vLLM 0.33.0 `vllm/config/model.py:1553`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("PAR215", "sharded-hyper-connections", source="config/model.py:1553")
def check(view: VllmView) -> Iterator[Violation]:
    """Look for the class's support."""
    sizes, model = view.settings.parallel, view.settings.model
    if not on(view, "enable_hc_sp") or sizes.tp == 1:
        return
    if model.supports("hc_sp") is False:
        yield refuse(
            view, "enable_hc_sp", f"enable-hc-sp, but {model.name} has no hyper-connections", "remove it"
        )
    elif sizes.pp > 1:
        yield refuse(view, "enable_hc_sp", f"enable-hc-sp with pp {sizes.pp}", "use pp 1")
