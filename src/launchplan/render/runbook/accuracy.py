"""The accuracy test: a known benchmark through the chat API, asked as clients ask.

vLLM's recipes measure with lm_eval, SGLang's cookbook with sgl-eval. The flags are those of lm_eval 0.4.13
(lm_eval/_cli/run.py, lm_eval/models/openai_completions.py) and sgl-eval 0.1.3 (sgl_eval/cli.py), the release
in the extra `test` of SGLang 0.5.23.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from launchplan.engines import Launch
from launchplan.engines.budgets import PoolMemory
from launchplan.engines.launch import join, text
from launchplan.render.quoting import shell_word
from launchplan.render.runbook.blocks import Block
from launchplan.render.shell.endpoint import Endpoint

_LM_EVAL, _SGL_EVAL = "lm_eval[api]==0.4.13", "sgl-eval==0.1.3"
_QUESTIONS = 1319
_CONCURRENCY = 8
_PROMPT_TOKENS = 2048
"""Room for five solved examples and the question."""
_THOUGHTS_TOKENS, _ANSWER_TOKENS = 16384, 2048
_READ_AS_VALUES = re.compile(
    r"true|false|none|nan|[+-]?inf(inity)?|[+-]?[\d_.]+(e[+-]?\d+)?|0[xob]\w+", re.IGNORECASE
)
"""What lm_eval reads as something else than text."""


@dataclass(frozen=True, slots=True)
class AccuracyTest:
    """One run of a benchmark."""

    says: str
    """What it asks, and how much."""
    install: Block
    block: Block
    notes: tuple[str, ...]


def accuracy_test(
    launch: Launch, endpoint: Endpoint, pools: tuple[PoolMemory, ...]
) -> Iterator[AccuracyTest]:
    """Make the test of a launch; none where HTTP does not reach it."""
    if not endpoint.reachable:
        return
    at_once = _at_once(launch, pools)
    thinks = _may_think(launch, endpoint)
    longest = _longest(launch)
    room = longest - _PROMPT_TOKENS if longest > 2 * _PROMPT_TOKENS else longest // 2
    tokens = min(_THOUGHTS_TOKENS if thinks else _ANSWER_TOKENS, room)
    vllm = launch.layout.resolved.deployment.engine == "vllm"
    yield AccuracyTest(
        f"GSM8K, {_QUESTIONS:,} questions of school mathematics through the chat API, {at_once} at a time: "
        "it tells whether weights, kernels and templates work together, not how clever the model is.",
        Block(
            "installation of the accuracy test",
            f"uv pip install '{_LM_EVAL}'" if vllm else f"uv pip install {_SGL_EVAL}",
        ),
        Block("accuracy test", (_lm_eval if vllm else _sgl_eval)(endpoint, at_once, tokens)),
        tuple(_notes(launch, endpoint, thinks=thinks, vllm=vllm)),
    )


def _at_once(launch: Launch, pools: tuple[PoolMemory, ...]) -> int:
    """Ask no more at once than the workload does, and than the engines run."""
    wanted = launch.layout.resolved.deployment.recipe.value.workload.concurrency or _CONCURRENCY
    running = [
        pool.memory.capacity.max_running * pool.memory.capacity.replicas
        for pool in pools
        if pool.memory.capacity.max_running is not None
    ]
    return max(1, min(wanted, _QUESTIONS, *running))


def _longest(launch: Launch) -> int:
    """Give the shortest window among the pools, for a request has to fit all of them."""
    windows = []
    for layout in launch.layout.pools:
        pool = layout.pool
        native = pool.architecture.max_position_embeddings if pool.architecture else None
        windows += [each for each in (pool.serve.max_model_len, native) if isinstance(each, int)][:1]
    return min(windows, default=_PROMPT_TOKENS + _THOUGHTS_TOKENS)


def _may_think(launch: Launch, endpoint: Endpoint) -> bool:
    model = launch.layout.resolved.deployment.model
    known = model is not None and (model.thinking is not None or bool(model.reasoning_effort))
    return endpoint.reasoning or known


def _lm_eval(endpoint: Endpoint, at_once: int, tokens: int) -> str:
    settings = f",num_concurrent={at_once},max_retries=3,timeout=3600"
    server = join(f"model={_argument(endpoint.model)},base_url=", endpoint.client_url, settings)
    trust = ',ca_cert_path="$CA_CERT"' if endpoint.encrypted else ""
    asked: dict[str, JsonValue] = {"max_gen_toks": tokens, "until": [], **_advised(endpoint)}
    lines = (
        "lm_eval --model local-chat-completions",
        f"--model_args {shell_word(server, 'local')}{trust}",
        "--tasks gsm8k --num_fewshot 5 --apply_chat_template",
        f"--gen_kwargs {shell_word(text(json.dumps(asked)))}",
    )
    return " \\\n    ".join(lines)


def _sgl_eval(endpoint: Endpoint, at_once: int, tokens: int) -> str:
    advised = _advised(endpoint)
    named = {"temperature": "--temperature", "top_p": "--top-p", "reasoning_effort": "--reasoning-effort"}
    sampling = " ".join(f"{flag} {advised[name]}" for name, flag in named.items() if name in advised)
    lines = (
        "sgl-eval run gsm8k",
        f"--base-url {shell_word(join(endpoint.url, '/v1'), 'local')}",
        f"--model {shell_word(endpoint.model)}",
        f"--num-threads {at_once} --max-tokens {tokens}",
        *([sampling] if sampling else []),
    )
    return " \\\n    ".join(lines)


def _advised(endpoint: Endpoint) -> dict[str, JsonValue]:
    """Give the sampling and the effort of a client's request."""
    own = {"model", "messages", "max_tokens"}
    return {name: value for name, value in endpoint.client_chat.items() if name not in own}


def _argument(value: str) -> str:
    """Write a text that lm_eval reads as text: what has a comma or looks like a number stands in quotes."""
    plain = re.fullmatch(r"[\w./:-]+", value) and not _READ_AS_VALUES.fullmatch(value)
    return value if plain else repr(value)


def _notes(launch: Launch, endpoint: Endpoint, *, thinks: bool, vllm: bool) -> Iterator[str]:
    part = "--limit 100" if vllm else "--num-examples 100"
    yield f"`{part}` asks the first 100 only. The questions come over the network, once."
    if thinks:
        tokens = "max_gen_toks" if vllm else "--max-tokens"
        yield f"Thoughts count against `{tokens}`: where answers are cut off, raise it."
    if vllm:
        yield (
            "The score is `flexible-extract`; `strict-match` wants the number behind `####`, too. "
            "`until` is empty because lm_eval's own stop word, `Question:`, may stand in an answer."
        )
    else:
        yield "The result is `score`; `truncated_rate` is the share of answers that ran into `--max-tokens`."
    if "temperature" not in _advised(endpoint):
        yield (
            "No sampling of the publisher is known here, so it asks with temperature 0; "
            "where the model card names one, take that."
        )
    yield from _mode(launch, vllm=vllm)


def _mode(launch: Launch, *, vllm: bool) -> Iterator[str]:
    """Say which mode is tested where the model has two, and how to test the other."""
    model = launch.layout.resolved.deployment.model
    switch = model.thinking if model is not None else None
    if switch is None or (model is not None and model.reasoning_effort and switch.by_default is None):
        return
    other = switch.disabled if switch.by_default else switch.enabled
    word = json.dumps({"chat_template_kwargs": {switch.keyword: other}})[1:-1]
    how = (
        f"`{word}` in `--gen_kwargs`" if vllm else f"`--chat-template-kwarg {switch.keyword}={_plain(other)}`"
    )
    match switch.by_default:
        case True:
            yield f"The test is with thoughts; {how} tests without them."
        case False:
            yield f"The test is without thoughts; {how} tests with them."
        case None:
            yield f"Whether it thinks is left to engine and model; {how} tests with thoughts."


def _plain(value: JsonValue) -> str:
    """Write a value as sgl-eval reads it: JSON, or text that is none."""
    return value if isinstance(value, str) else json.dumps(value)
