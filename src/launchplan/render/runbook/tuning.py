"""What to change for latency, throughput or long contexts, each with what the memory model says of it.

The directions are those of the engines' documentation: "Optimization and Tuning" and "Speculative Decoding"
of vLLM, "Hyperparameter Tuning" of SGLang, and vLLM's recipes (`text_only`, `encoder_parallel`,
`long_context`).
The numbers are this plan's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from launchplan.catalog.version import version_key
from launchplan.engines.budgets import DraftChoice, PoolMemory
from launchplan.memory.capacity import Choice, Concurrency
from launchplan.units import bytes_text, plural

_WHY = {
    "parallel.dcp": "the ranks split a cache that each of them holds whole now",
    "serve.kv_cache_dtype": "an entry of the cache takes less; compare the answers before you keep it",
    "parallel.tp": "a GPU holds a smaller part of the weights; it needs that many GPUs",
    "serve.max_model_len": "longer requests are refused",
    "serve.prefix_caching": "nothing is kept for requests that begin alike; each prompt is computed in full",
}
"""What makes the difference, by the key that is changed."""
_OVERRIDES = "hf-overrides"
_TEXT_ONLY = "language-model-only"
_WHOLE_ENCODER = {"vllm": ("mm-encoder-tp-mode", "data"), "sglang": ("mm-enable-dp-encoder", "true")}
_BATCH = {"vllm": "serve.max_num_batched_tokens", "sglang": "serve.chunked_prefill_size"}


@dataclass(frozen=True, slots=True)
class TuningRow:
    """One setting and what it does for one aim."""

    aim: str
    setting: str
    effect: str


def tuning(pool: PoolMemory, draft: DraftChoice | None) -> tuple[TuningRow, ...]:
    """List what would serve each aim; `draft` is a published way of drafting that the plan does not use."""
    at = pool.memory.capacity.of(pool.inputs.lengths.usual[0])
    rows = (*_latency(pool, draft), *_throughput(pool, at), *_long(pool, at), *_pictures(pool))
    return tuple(replace(row, setting=f"{_place(pool)}{row.setting}") for row in rows)


def _place(pool: PoolMemory) -> str:
    """Give what stands before a pool's keys where a recipe has several."""
    return "".join(f"{part}." for part in pool.view.pool.prefix)


def _latency(pool: PoolMemory, draft: DraftChoice | None) -> Iterator[TuningRow]:
    if draft is not None:
        yield TuningRow("latency", f"speculative: {draft.setting}", _drafting(pool, draft))
    if _reads_prompts(pool):
        steps = f"{_tokens_a_step(pool)} now; fewer: a prompt holds up running answers for a shorter time"
        yield TuningRow("latency", _BATCH[pool.view.engine], steps)


def _drafting(pool: PoolMemory, draft: DraftChoice) -> str:
    said = (
        f"a step yields up to {draft.tokens + 1} tokens; most where few requests run, so measure at your load"
    )
    if pool.bound is None or draft.bound is None:
        return said
    before, after = (f"{each.tokens_per_s_per_user:,.0f}" for each in (pool.bound, draft.bound))
    return f"{said}; the bound of one user goes from {before} to {after} tokens/s"


def _throughput(pool: PoolMemory, at: Concurrency | None) -> Iterator[TuningRow]:
    yield from _requests(pool, at)
    if _reads_prompts(pool):
        activations = next(each for each in pool.memory.budget.terms if each.name == "activations")
        more = "more: prompts are read sooner, and the activations"
        size = bytes_text(activations.bytes.value)
        yield TuningRow(
            "throughput",
            _BATCH[pool.view.engine],
            f"{_tokens_a_step(pool)} now; {more}, {size} now, take from the pool",
        )
    asked = pool.view.pool.speculative
    if asked is not None and asked.tokens:
        yield TuningRow(
            "throughput",
            "speculative.tokens",
            f"{asked.tokens} now; fewer, or none: a full batch pays for each draft, accepted or not",
        )
    if pool.view.engine == "sglang":
        yield TuningRow(
            "throughput",
            "args.schedule-conservativeness",
            "below 1 where requests wait and the pool is not full; above 1 where requests are retracted",
        )


def _requests(pool: PoolMemory, at: Concurrency | None) -> Iterator[TuningRow]:
    most = pool.memory.capacity.max_running
    if at is None or most is None:
        return
    name = "serve.max_num_seqs"
    if at.limit == "max_num_seqs":
        yield TuningRow(
            "throughput", name, f"{most:,} now, and the pool holds more of {at.tokens:,} tokens: raise it"
        )
    elif at.limit == "pool":
        held = f"{at.requests.value:,.1f} of {at.tokens:,} tokens fit the pool"
        yield TuningRow(
            "throughput", name, f"{most:,} now, of which {held}: raising it gains nothing at that length"
        )


def _long(pool: PoolMemory, at: Concurrency | None) -> Iterator[TuningRow]:
    window = pool.view.architecture.max_position_embeddings if pool.view.architecture else None
    longest = pool.inputs.lengths.max_model_len
    if window is not None and longest < window:
        tokens = f"{pool.memory.capacity.pool_tokens.value:,.0f}"
        yield TuningRow(
            "long context",
            "serve.max_model_len",
            f"{longest:,} now, the model's window is {window:,}; the pool holds {tokens} tokens in all",
        )
    yield from _stretched(pool)
    for choice in pool.choices:
        yield TuningRow("long context", choice.name, _choice(choice, at))


def _stretched(pool: PoolMemory) -> Iterator[TuningRow]:
    """Say how the window gets longer than the model's own, where that is published."""
    deployment = pool.view.pool.deployment
    known = deployment.model.stretch if deployment.model is not None else None
    if known is None or pool.view.engine != "vllm" or known.tokens <= pool.inputs.lengths.max_model_len:
        return
    if version_key(deployment.version) < version_key(known.since) or _OVERRIDES in _given(pool):
        return
    settings = {
        "args": {_OVERRIDES: known.hf_overrides},
        "env": {"VLLM_ALLOW_LONG_MAX_MODEL_LEN": "1"},
        "serve": {"max_model_len": known.tokens},
    }
    tokens = f"{pool.memory.capacity.pool_tokens.value:,.0f}"
    yield TuningRow(
        "long context",
        f", {_place(pool)}".join(f"{key}: {json.dumps(value)}" for key, value in settings.items()),
        f"up to {known.tokens:,} tokens by YaRN, at the cost of quality with short ones, so only for long "
        f"prompts; the pool holds {tokens} tokens in all",
    )


def _given(pool: PoolMemory) -> set[str]:
    return {flag.replace("_", "-").removeprefix("--") for flag in pool.view.pool.args}


def _pictures(pool: PoolMemory) -> Iterator[TuningRow]:
    """Say what the encoder of pictures costs, where the ranks hold one, and how it may lie on them."""
    held = sum(pool.memory.budget.by_class.get(kind, 0) for kind in ("vision", "projector"))
    facts = pool.view.pool.deployment.facts
    if not held or facts is None:
        return
    given = _given(pool)
    if facts.find(f"--{_TEXT_ONLY}") is not None and _TEXT_ONLY not in given:
        yield TuningRow(
            "text only",
            f"args.{_TEXT_ONLY}: true",
            f"no pictures are taken, and {bytes_text(held)} of a rank's weights make room for the pool",
        )
    name, value = _WHOLE_ENCODER[pool.view.engine]
    if pool.view.pool.parallel.tp > 1 and facts.find(f"--{name}") is not None and name not in given:
        yield TuningRow(
            "pictures",
            f"args.{name}: {value}",
            "each GPU holds the whole encoder and works on pictures of its own, so that the GPUs need not "
            f"exchange anything within one; a rank holds {bytes_text(held)} of it now",
        )


def _choice(choice: Choice, at: Concurrency | None) -> str:
    now = f" in place of {at.requests.value:,.1f}" if at is not None else ""
    why = _WHY.get(choice.name.partition(":")[0], "")
    held = f"{choice.pool_tokens.value:,.0f} tokens in the pool"
    return f"{choice.requests.value:,.1f} requests at once{now}, {held}" + (f": {why}" if why else "")


def _reads_prompts(pool: PoolMemory) -> bool:
    """Tell whether the pool prefills, in steps of a size that is known."""
    return pool.view.pool.role != "decode" and pool.inputs.batch_tokens > 0


def _tokens_a_step(pool: PoolMemory) -> str:
    return f"{plural(pool.inputs.batch_tokens, 'token')} a step"
