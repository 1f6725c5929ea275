"""Options of the expert load balancer that do not go together.

## Why

Redundant experts are what the balancer moves: without `--enable-eplb` vLLM refuses them. Its background
mode, the default, does not run over NCCL, nor with a policy other than the default.

## Fix

Add `--enable-eplb`, or set `use_async: false`, or leave the communicator out.

## References

- vLLM 0.33.0 `vllm/config/parallel.py:118`, `:587`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import mapping, on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule
from launchplan.rules.wording import cut


@vllm_rule("PAR210", "eplb-options", source="config/parallel.py:587")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at the balancer's options."""
    config = mapping(view, "eplb_config")
    background = config.get("use_async", True)
    extra, way = config.get("num_redundant_experts"), config.get("communicator")
    policy = config.get("policy", "default")
    if background and policy != "default":
        yield _parse(view, f"eplb-config policy {cut(str(policy))} does not run in the background")
    elif background and way in ("torch_nccl", "pynccl"):
        yield _parse(view, f"eplb-config communicator {way} does not run in the background")
    elif isinstance(extra, int) and extra > 0 and not on(view, "enable_eplb"):
        message = f"{extra} redundant experts, but the expert load balancer is off"
        yield refuse(view, "eplb_config", message, "add enable-eplb, or leave num_redundant_experts out")


def _parse(view: VllmView, message: str) -> Violation:
    fix = "set use_async: false, or leave it out"
    return Violation(message, view.path("eplb_config"), fix, "vllm/config/parallel.py:118 (0.33.0)", "parse")
