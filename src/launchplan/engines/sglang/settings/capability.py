"""What a model cannot do, applied after backends are settled (`arg_groups/model_hook.py:751`, 0.5.23)."""

from __future__ import annotations

from launchplan.engines.sglang.settings import classes, cuda_graph
from launchplan.engines.sglang.settings.given import Flags, Given
from launchplan.engines.sglang.settings.types import SglangSettings, changed

PARSERS = {"qwen25": "qwen", "glm45": "glm"}
"""Deprecated tool parsers (`serving_hook.py:273`)."""


def names(given: Flags, now: SglangSettings) -> SglangSettings:
    """Replace old spellings, and `--quantization unquant` (`serving_hook.py:256`, `:695`)."""
    parser = now.tool_call_parser
    stored = None if given["quantization"] == "unquant" else now.quantization
    return changed(now, tool_call_parser=PARSERS.get(parser or "", parser), quantization=stored)


def limits(given: Given, now: SglangSettings) -> SglangSettings:
    """Switch off what the model's attention does not allow."""
    model = given.model
    if model.model_type == "hrm_text" and model.architecture.dims.get("prefix_lm", True):
        now = changed(
            cuda_graph.without_graphs(now), attention_backend="triton", chunked_prefill_size=-1,
            disable_radix_cache=True,
        )  # fmt: skip
    if model.is_multimodal and model.name in classes.UNCHUNKED:
        now = changed(now, chunked_prefill_size=-1)
    return now


def dumps(given: Given, now: SglangSettings) -> SglangSettings:
    """Run eagerly where tensors are dumped (`serving_hook.py:544`)."""
    dumped = given["debug_tensor_dump_output_folder"] is not None or given["msprobe_dump_config"] is not None
    return cuda_graph.without_graphs(now) if dumped else now
