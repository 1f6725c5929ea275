"""Settings of images and videos that do not go together.

## Why

Objects have a largest size in the shared-memory cache only; scales of FP8 belong to an encoder that runs in
FP8, and are read or written, not both; the processor stays off the GPU that runs the language model; several
workers that render share no cache; a model that takes no images captures no graphs of its encoder.

## Fix

Change the flag that the message names.

## References

- vLLM 0.33.0 `vllm/config/multimodal.py:212`, `:521`-`:539`, `:618`, `:651`, `vllm/config/model.py:901`,
  `vllm/config/vllm.py:1562`
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from launchplan.engines.vllm.settings.reading import count, mapping, on, text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule
from launchplan.rules.wording import shown

OBJECT_MB = 128
_DEVICE = re.compile(
    r"(cpu|cuda|ipu|xpu|mkldnn|opengl|opencl|ideep|hip|ve|fpga|maia|xla|lazy|vulkan|mps|meta|hpu|mtia"
    r"|privateuseone)(:\d+)?"
)
"""Devices that torch knows by name."""
"""Default of `mm-shm-cache-max-object-size-mb` (config/multimodal.py:375)."""
LEAST = {"count": 0, "width": 1, "height": 1, "num_frames": 1, "length": 1}
Demand = tuple[bool, str, str, str]
FLAGS = (
    "limit_mm_per_prompt", "mm_shm_cache_max_object_size_mb", "renderer_num_workers",
    "mm_encoder_fp8_scale_path", "mm_encoder_fp8_scale_save_path", "mm_processor_kwargs",
    "mm_processor_device", "compilation_config",
)  # fmt: skip


@vllm_rule("ENG220", "media-settings-agree", source="config/multimodal.py:521", about=FLAGS)
def check(view: VllmView) -> Iterator[Violation]:
    """Look at what a multimodal model is told."""
    if view.settings.model.multimodal is not True:
        return
    for broken, flag, message, source in (*_limits(view), *_cache(view), *_scales(view), *_processor(view)):
        if broken:
            yield refuse(view, flag, message, source=source)
            return


def _limits(view: VllmView) -> Iterator[Demand]:
    for kind, limit in mapping(view, "limit_mm_per_prompt").items():
        sizes = limit if isinstance(limit, Mapping) else {"count": limit}
        for name, least in LEAST.items():
            size = sizes.get(name)
            message = f"limit-mm-per-prompt {kind} {name} is {size}; it must be {least} or more"
            low = isinstance(size, int) and size < least
            yield low, "limit_mm_per_prompt", message, "config/multimodal.py:212"


def _cache(view: VllmView) -> Iterator[Demand]:
    size = count(view, "mm_shm_cache_max_object_size_mb")
    named = size is not None and size != OBJECT_MB and text(view, "mm_processor_cache_type") != "shm"
    message = "mm-shm-cache-max-object-size-mb needs mm-processor-cache-type shm"
    yield named, "mm_shm_cache_max_object_size_mb", message, "config/multimodal.py:521"
    workers, cache = count(view, "renderer_num_workers") or 1, view.arguments["mm_processor_cache_gb"]
    shared = workers > 1 and isinstance(cache, int | float) and cache > 0
    message = f"renderer-num-workers {workers} of a pooling model need mm-processor-cache-gb 0"
    pooling = text(view, "runner") == "pooling"
    yield shared and pooling, "renderer_num_workers", message, "config/model.py:901"


def _scales(view: VllmView) -> Iterator[Demand]:
    read, write = text(view, "mm_encoder_fp8_scale_path"), text(view, "mm_encoder_fp8_scale_save_path")
    flag = "mm_encoder_fp8_scale_path" if read is not None else "mm_encoder_fp8_scale_save_path"
    alone = (read is not None or write is not None) and text(view, "mm_encoder_attn_dtype") != "fp8"
    message = f"{flag.replace('_', '-')} needs mm-encoder-attn-dtype fp8"
    yield alone, flag, message, "config/multimodal.py:530"
    message = "scales are read from mm-encoder-fp8-scale-path or saved, not both"
    yield read is not None and write is not None, flag, message, "config/multimodal.py:539"


def _processor(view: VllmView) -> Iterator[Demand]:
    given = mapping(view, "mm_processor_kwargs").get("device")
    flag = "mm_processor_kwargs" if given is not None else "mm_processor_device"
    device = given if given is not None else text(view, "mm_processor_device")
    odd = isinstance(given, str) and not _DEVICE.fullmatch(given)
    yield odd, flag, f"torch has no device {shown(given)}", "config/multimodal.py:618"
    alone = mapping(view, "ec_transfer_config").get("ec_role") == "ec_producer"
    on_gpu = isinstance(device, str) and device.partition(":")[0] == "cuda"
    message = "the media processor does not run on the GPU of the language model"
    yield on_gpu and not alone, flag, message, "config/multimodal.py:651"
    graphs = mapping(view, "compilation_config").get("cudagraph_mm_encoder") is True
    message = "language-model-only runs no encoder to capture with cudagraph_mm_encoder"
    yield graphs and on(view, "language_model_only"), "language_model_only", message, "config/vllm.py:1562"
