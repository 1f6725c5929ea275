"""The weights may take longer to read than vLLM waits for its engine.

## Why

The API server gives up when the engine is not ready within `VLLM_ENGINE_READY_TIMEOUT_S`, 600 s by default,
and reading the weights counts. Published loads of checkpoints of this size ran at 2.3 to 4.7 GB/s: 1.56 TB in
11.2 minutes, 1.45 TB in 545 s and, with fastsafetensors and lazy loading, in 306 s. A start that is slower
ends just before it is ready.

## Fix

Set `env: {VLLM_ENGINE_READY_TIMEOUT_S: "3600"}`, or give the measured read rate in the cluster file
(`storage.read_gigabytes_per_s`) when it is fast enough.

## References

- vLLM 0.33.0 `vllm/envs.py` (VLLM_ENGINE_READY_TIMEOUT_S, default 600)
- Kimi K3 serving FAQ (2026); "Deploying Qwen3.8-2.4T-A95B with vLLM" (2026-08-15)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.memory.cold_start import PUBLISHED_GIGABYTES_PER_S
from launchplan.resolve import Resolved
from launchplan.rules.environment import variables
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.units import bytes_text, decimal

VARIABLE = "VLLM_ENGINE_READY_TIMEOUT_S"
DEFAULT_S = 600


@rule(
    "OPS105",
    "load-within-timeout",
    severity=WARNING,
    engines=("vllm",),
    source="vllm/envs.py, VLLM_ENGINE_READY_TIMEOUT_S (0.33.0)",
)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Compare the time to read the checkpoint with the time that the API server waits."""
    facts = resolved.deployment.checkpoint_facts
    timeout_s = _timeout_s(resolved)
    if facts is None or facts.bytes is None or timeout_s is None:
        return
    cluster = resolved.deployment.cluster
    measured = cluster.value.storage.read_gigabytes_per_s if cluster else None
    rate = measured * 1e9 if measured is not None else PUBLISHED_GIGABYTES_PER_S * 1e9
    seconds = facts.bytes / rate
    if seconds <= timeout_s:
        return
    needed = facts.bytes / timeout_s / 1e9
    message = f"{bytes_text(facts.bytes)} in {timeout_s} s need {needed:.1f} GB/s; {_what(rate, measured)}"
    yield Violation(message, ("env",), f'set {VARIABLE}: "{_rounded(seconds)}" in env')


def _what(rate: float, measured: float | None) -> str:
    who = "the cluster file says" if measured is not None else "published loads began at"
    return f"{who} {rate / 1e9:.1f}"


def _rounded(seconds: float) -> int:
    """Give the next half hour that leaves as much again for graphs and kernels."""
    return -(-int(seconds * 2) // 1800) * 1800


def _timeout_s(resolved: Resolved) -> int | None:
    """Read the timeout where somebody set it; None for a value that is no number."""
    given = [value for name, value, _ in variables(resolved) if name == VARIABLE]
    if not given:
        return DEFAULT_S
    return decimal(given[-1].strip())
