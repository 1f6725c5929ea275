"""A mode of serving that this layout or model does not have.

## Why

Fault tolerance works where each process is one data parallel rank. A pooling model generates no text.
Multimodal tensors in shared memory reach one worker only, and workers that are spawned, not forked.
Statistics of drafts need drafts.

## Fix

Remove the flag that is named.

## References

- vLLM 0.33.0 `vllm/engine/arg_utils.py:2449`, `vllm/config/model.py:608`, `:1616`,
  `vllm/config/vllm.py:1722`, `:1733`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import on, text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("ENG216", "serving-mode-fits", source="engine/arg_utils.py:2449")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at each mode."""
    settings = view.settings
    sizes, model = settings.parallel, settings.model
    external = on(view, "data_parallel_external_lb") or view.arguments["data_parallel_rank"] is not None
    if on(view, "enable_fault_tolerance") and not external:
        message = "fault tolerance without an external load balancer"
        yield refuse(view, "enable_fault_tolerance", message, "add --data-parallel-rank, or remove it")
    if text(view, "runner") in {"generate", "draft"} and model.supports("pooling"):
        message = f"{model.name} is a pooling model, runner is {text(view, 'runner')}"
        yield refuse(view, "runner", message, "leave runner out", source="config/model.py:608")
    if model.multimodal and text(view, "mm_tensor_ipc") == "torch_shm":
        if sizes.world_size_across_dp > 1:
            message = f"mm-tensor-ipc torch_shm with {sizes.world_size_across_dp} ranks"
            yield refuse(view, "mm_tensor_ipc", message, "leave it out", source="config/model.py:1616")
        elif view.env.get("VLLM_WORKER_MULTIPROC_METHOD") != "spawn":
            message = "mm-tensor-ipc torch_shm needs workers that are spawned"
            fix = "set env VLLM_WORKER_MULTIPROC_METHOD: spawn"
            yield refuse(view, "mm_tensor_ipc", message, fix, source="config/vllm.py:1733")
    if text(view, "per_request_spec_decode_metrics") not in {None, "none"} and settings.spec is None:
        message = "per-request-spec-decode-metrics without speculative decoding"
        yield refuse(
            view, "per_request_spec_decode_metrics", message, "remove it", source="config/vllm.py:1722"
        )
