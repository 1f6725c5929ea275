"""The load test: the engine's own benchmark with the recipe's workload."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines import Launch, Value
from launchplan.engines.launch import text
from launchplan.recipe.schema import Workload
from launchplan.render.shell.shellcheck import literal_codes

_Pairs = tuple[tuple[str, str], ...]
_Lines = tuple[tuple[Value, ...], ...]
_Program = tuple[tuple[str, ...], _Lines, _Pairs]
"""The benchmark's command, what names the model, and what else it is told."""
_PROMPTS_PER_SLOT = 4
_CONCURRENCY, _PROMPT_TOKENS, _OUTPUT_TOKENS = 8, 1024, 256
"""Stand for what the recipe's workload leaves open."""


@dataclass(frozen=True, slots=True)
class Bench:
    """One run of the benchmark."""

    note: str
    """What is measured, and where the numbers come from."""
    command: tuple[Value, ...]
    flags: tuple[tuple[Value, ...], ...]
    """One flag with its value a line."""
    codes: str
    """What ShellCheck would ask about the flags."""

    @property
    def has_codes(self) -> bool:
        """Whether some flag holds what ShellCheck asks about."""
        return bool(self.codes)


def bench(launch: Launch) -> Bench:
    """Make the benchmark of a launch.

    `vllm bench serve` (vllm/benchmarks/serve.py) and SGLang's `bench_serving` draw random tokens; SGLang's
    `random-ids` does so without a dataset from the network.
    """
    deployment = launch.layout.resolved.deployment
    workload = deployment.recipe.value.workload
    load, note = _load(workload)
    tokenizer = launch.processes[0].model  # it lies beside the weights
    program, names, flags = (_vllm if deployment.engine == "vllm" else _sglang)(launch, tokenizer)
    lines = tuple((text(name), text(value)) for name, value in (*flags, *load))
    shown = (*names, *lines)
    codes = literal_codes(word for flag in shown for word in flag)
    return Bench(note, tuple(text(word) for word in program), shown, codes)


def _load(workload: Workload) -> tuple[_Pairs, str]:
    """Give the flags of the load, which both benchmarks share, and where its numbers come from."""
    concurrency = workload.concurrency or _CONCURRENCY
    context = workload.context_tokens
    output = workload.output_tokens or (min(1024, max(1, context // 2)) if context else _OUTPUT_TOKENS)
    prompt = workload.prompt_tokens or (max(1, context - output) if context else _PROMPT_TOKENS)
    count = concurrency * _PROMPTS_PER_SLOT
    load = (
        ("--random-input-len", str(prompt)),
        ("--random-output-len", str(output)),
        ("--num-prompts", str(count)),
        ("--max-concurrency", str(concurrency)),
    )
    missing = not (workload.concurrency and (context or (workload.prompt_tokens and workload.output_tokens)))
    origin = (
        "some numbers are launchplan's: the recipe's workload leaves them open"
        if missing
        else "the recipe's workload"
    )
    note = f"{count} requests, {concurrency} at a time, {prompt} tokens in and {output} out ({origin})"
    return load, note


def _vllm(launch: Launch, tokenizer: Value) -> _Program:
    names: _Lines = (
        (text("--model"), tokenizer),
        (text("--served-model-name"), text(launch.model_name)),
    )
    trusting = any(flag.name == "--trust-remote-code" for flag in launch.processes[0].flags)
    names += ((text("--trust-remote-code"),),) if trusting else ()
    flags = (("--backend", "openai"), ("--endpoint", "/v1/completions"), ("--dataset-name", "random"))
    return ("vllm", "bench", "serve"), names, flags


def _sglang(launch: Launch, tokenizer: Value) -> _Program:
    names = ((text("--model"), text(launch.model_name)), (text("--tokenizer"), tokenizer))
    flags = (
        ("--backend", "sglang-oai"),
        ("--dataset-name", "random-ids"),
        ("--random-range-ratio", "1.0"),
    )
    return ("python3", "-m", "sglang.bench_serving"), names, flags
