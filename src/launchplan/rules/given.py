"""What a recipe says besides its typed keys: raw flags, environment, and the values that both can set."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import JsonValue

from launchplan.architecture import Quantization
from launchplan.engines.flags import raw_flags
from launchplan.finding import KeyPath
from launchplan.resolve import Deployment, ResolvedPool

TRUE_WORDS = frozenset({"1", "true", "yes", "y", "on", "t"})
_DESTINATIONS = {
    "vllm": {"max_model_len": "max_model_len"},
    "sglang": {"max_model_len": "context_length"},
}
"""Parser destination of a `serve` key, where it is not the key itself."""
_HUMAN = re.compile(r"(\d+(?:\.\d+)?)([kKmMgGtT])")
_POWERS = "kmgt"
LONGEST_NUMBER = 19
"""Digits that a number may have to be read as one; Python refuses to read thousands."""


def switched_on(pool: ResolvedPool, destination: str) -> bool:
    """Tell whether a raw switch is set."""
    return raw_flags(pool).get(destination) is True


def raw_count(pool: ResolvedPool, destination: str) -> int | None:
    """Give a raw flag's value as a count of one or more, None when it is absent or no such count."""
    value = raw_flags(pool).get(destination)
    if isinstance(value, str) and value.isdecimal() and len(value) < LONGEST_NUMBER:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def serve_value(pool: ResolvedPool, key: str) -> tuple[JsonValue, KeyPath]:
    """Give a `serve` value and its place, be it the typed key or the raw flag for the same thing."""
    typed = getattr(pool.serve, key)
    if typed is not None:
        return typed, pool.path("serve", key)
    destination = _DESTINATIONS[pool.deployment.engine].get(key, key)
    for name, value in pool.args.items():
        flag = pool.deployment.facts and pool.deployment.facts.find(f"--{name}")
        if flag and flag.dest == destination:
            return value, pool.arg_paths[name]
    return None, pool.path("serve", key)


def token_count(value: JsonValue) -> int | None:
    """Read a number of tokens as the engines do: 4096, 4k, 4K; None for `auto` and whatever else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    text = value.strip() if isinstance(value, str) and len(value) < LONGEST_NUMBER else ""
    if text.isdecimal():
        return int(text)
    match = _HUMAN.fullmatch(text)
    if match is None:
        return None
    number, unit = match.groups()
    # vllm/engine/arg_utils.py:human_readable_int: a small letter counts in thousands, a capital one in 1024s.
    base = 1000 if unit.islower() else 1024
    return int(float(number) * base ** (_POWERS.index(unit.lower()) + 1))


def environment(pool: ResolvedPool) -> Mapping[str, str]:
    """Give the environment that the pool's engines see from cluster file and recipe."""
    cluster = pool.deployment.cluster
    return (dict(cluster.value.env) if cluster else {}) | dict(pool.env)


def variable_on(pool: ResolvedPool, name: str) -> bool:
    """Tell whether a boolean variable is set."""
    return environment(pool).get(name, "").strip().lower() in TRUE_WORDS


def quantization(deployment: Deployment) -> Quantization | None:
    """Give how the weights are stored; None when the catalog doesn't know the checkpoint that is loaded."""
    if deployment.architecture is None:
        return None
    if deployment.model is not None and deployment.checkpoint_facts is None:
        return None
    return deployment.architecture.quantization


def evidenced(deployment: Deployment) -> bool:
    """Tell whether somebody ran this layout: advice of the kind "it will disappoint" is then out of place."""
    evidence = deployment.evidence
    return evidence is not None and evidence.status in {"verified", "documented"}
