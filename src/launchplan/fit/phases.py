"""Prefill and decode sized apart: what each holds, and what a request costs each at the GPUs' peak."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.catalog import Gpu
from launchplan.fit.answer import Fits, Offer
from launchplan.fit.workload import mean_tokens

_OPERATIONS = 2
"""Of a parameter and token: one multiplication, one addition. Attention comes on top."""


@dataclass(frozen=True, slots=True)
class Shares:
    """What one request costs at the GPUs' peak, which no run reaches."""

    prompt_tokens: int
    output_tokens: int
    prefill_gpu_s: float
    """Seconds of one GPU: the arithmetic of the prompt's tokens at the GPU's peak rate."""
    decode_gpu_s: float
    """Seconds of one GPU: the output's share of what full batches read from memory."""


def phases(fits: Fits, offer: Offer, tokens: int) -> tuple[str, ...]:
    """Size the two phases of an offer; `tokens` stand in the pool at the same time."""
    workload = fits.wish.workload
    longest = workload.prompt_tokens or mean_tokens(workload) or 0
    holds = f"prefill holds the weights and the prompts at work ({longest:,} tokens each)"
    lines = [
        f"{holds}: from {_smallest(fits, offer).candidate.machines}",
        f"decode holds the {tokens:,} resident tokens: {offer.candidate.machines}",
    ]
    found = shares(fits, offer)
    if found is not None:
        prompt = f"{_seconds(found.prefill_gpu_s)} of one for {found.prompt_tokens:,} prompt tokens"
        output = f"{_seconds(found.decode_gpu_s)} of one for {found.output_tokens:,} output tokens"
        lines.append(f"at their peak, GPUs take {prompt} and {output}")
        lines.append(f"that is {_ratio(found)}: measure both before they get their own machines")
    elif workload.prompt_tokens is None or workload.output_tokens is None:
        lines.append("with prompt_tokens and output_tokens in a workload file the two are compared")
    return tuple(lines)


def shares(fits: Fits, offer: Offer) -> Shares | None:
    """Compare what a request's prompt and its output cost; None where a figure for that is not known."""
    workload, judged = fits.wish.workload, offer.judged
    active, rate = _active_parameters(offer), _rate(offer)
    if workload.prompt_tokens is None or workload.output_tokens is None:
        return None
    if active is None or rate is None or not judged.tokens_per_s:
        return None
    prefill = workload.prompt_tokens * _OPERATIONS * active / rate
    decode = workload.output_tokens * offer.candidate.gpus / judged.tokens_per_s
    return Shares(workload.prompt_tokens, workload.output_tokens, prefill, decode)


def _smallest(fits: Fits, offer: Offer) -> Offer:
    """Give the layout with the fewest GPUs of the same kind that surely holds the longest request."""
    alike = (each for each in (*fits.offers, *fits.short) if _is_same_kind(each, offer))
    holding = (each for each in alike if each.judged.holds_longest)
    return min(holding, key=lambda each: each.candidate.gpus, default=offer)


def _is_same_kind(one: Offer, other: Offer) -> bool:
    return (
        one.candidate.gpu.id == other.candidate.gpu.id
        and one.judged.question.checkpoint == other.judged.question.checkpoint
    )


def _active_parameters(offer: Offer) -> int | None:
    entry, model = offer.judged.question.entry, offer.judged.held.view.architecture
    if entry is None or model is None:
        return None
    return entry.parameters.active or (None if model.is_moe else entry.parameters.total)


def _rate(offer: Offer) -> float | None:
    """Give the most operations a second that the weights' format allows one GPU."""
    model, gpu = offer.judged.held.view.architecture, offer.candidate.gpu
    quantized = model is None or model.quantization.method is not None
    rates = [rate for rate in _rates(gpu, quantized=quantized) if rate]
    return max(rates) * 1e12 if rates else None


def _rates(gpu: Gpu, *, quantized: bool) -> tuple[float | None, ...]:
    """List the peak rates: a quantized model may compute in any format, another one in bf16."""
    known = gpu.flops_dense_tflops
    return tuple(known.values()) if quantized else (known.get("bf16"),)


def _seconds(seconds: float) -> str:
    return f"{seconds:,.2f} s" if seconds >= 0.1 else f"{seconds * 1000:.1f} ms"


def _ratio(found: Shares) -> str:
    less, more = sorted(((found.prefill_gpu_s, "prefill"), (found.decode_gpu_s, "decode")))
    if more[0] < 1.25 * less[0]:
        return "about as many GPUs for one as for the other"
    return f"about {more[0] / less[0]:,.1f} GPUs of {more[1]} for one of {less[1]}"
