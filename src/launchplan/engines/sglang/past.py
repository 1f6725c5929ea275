"""The least that a rank of an older SGLang holds, where the command says the share of memory.

Only what never changed is read from the command line, and the smallest chunk is taken: a launch that does not
fit with it does not fit at all. What the share is by default differed from release to release; without it
nothing is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.catalog.version import version_key
from launchplan.memory.budget import Device
from launchplan.memory.capacity import Lengths, RankMemory
from launchplan.memory.kv.sglang import SglangPoolSettings
from launchplan.memory.sglang import SglangWeights
from launchplan.memory.sglang.budget import SglangMemory, sglang_memory

if TYPE_CHECKING:
    from launchplan.engines.sglang.view import SglangView

_SMALL_CHUNK = 2048
_REPLICAS_COUNTED = (0, 4, 4)
"""Since then `--dp-size` counts the replicas of attention; before, there were as many as ranks
(`srt/server_args.py`)."""


def past_memory(view: SglangView) -> RankMemory | None:
    """Compute the least that a rank holds; None when model, GPU, context or share is not known."""
    model, gpu, given = view.architecture, view.gpu, view.arguments.given
    share = view.arguments["mem_fraction_static"]
    if model is None or gpu is None or gpu.memory_total_bytes is None or not isinstance(share, int | float):
        return None
    if "mem_fraction_static" not in given or not version_key(view.pool.deployment.version):
        return None
    tp, pp = _size(view, "tp_size"), _size(view, "pp_size")
    attention_dp = _attention_dp(view)
    length = _given(view, "context_length") or model.derived_max_model_len
    if length is None or pp > len(model.layers) or tp % attention_dp:
        return None
    return sglang_memory(
        SglangMemory(
            model=model,
            device=Device(gpu.memory_total_bytes, unified=gpu.unified_memory),
            weights=SglangWeights(
                tp=tp,
                pp=pp,
                attention_dp=attention_dp,
                ep=_experts_over(view, tp),
                capability=gpu.capability,
            ),
            pools=_pools(view, length, tp // attention_dp, attention_dp),
            lengths=Lengths(length),
            fraction=float(share),
            batch_tokens=_given(view, "chunked_prefill_size") or _SMALL_CHUNK,
            decode_requests=1,
            capture_sizes=0,
        )
    )


def _pools(view: SglangView, length: int, attention_tp: int, attention_dp: int) -> SglangPoolSettings:
    dtype = view.arguments["kv_cache_dtype"]
    return SglangPoolSettings(
        attention_tp=attention_tp,
        attention_dp=attention_dp,
        pp=_size(view, "pp_size"),
        cache_dtype=dtype if isinstance(dtype, str) and dtype != "auto" else "bfloat16",
        context_length=length,
        max_running_requests=_given(view, "max_running_requests"),
    )


def _attention_dp(view: SglangView) -> int:
    """Count the replicas of attention: `--dp-size` beside its switch, or the flag that came after both."""
    if view.arguments["enable_dp_attention"] is True:
        if version_key(view.pool.deployment.version) < _REPLICAS_COUNTED:
            return _size(view, "tp_size")
        return _size(view, "dp_size")
    return _size(view, "attn_dp_size")


def _experts_over(view: SglangView, tp: int) -> int:
    """Count the ranks that hold different experts; a size that does not nest is for other rules."""
    found = _size(view, "ep_size")
    return found if tp % found == 0 else 1


def _given(view: SglangView, name: str) -> int | None:
    value = view.arguments[name]
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _size(view: SglangView, name: str) -> int:
    return _given(view, name) or 1
