"""One side channel address for several hosts, or one that each host finds itself by.

## Why

`VLLM_NIXL_SIDE_CHANNEL_HOST` tells decode where to fetch the KV cache of a prefill instance. Under an `env`
that several hosts share it names one host for all, and a loopback address names whoever asks: every `/health`
is 200, decode asks itself, and requests end with HTTP 500.

## Fix

Remove the variable, launchplan sets it on each host; or give it under `nodes` of the cluster file.

## References

- vLLM 0.33.0 `vllm/envs.py`, `distributed/kv_transfer/kv_connector/v1/nixl/base_scheduler.py:78`
- seen with vLLM 0.32.0: `Remote NIXL agent engine ID mismatch`, `"remote_host": "localhost"`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import Launch
from launchplan.rules.environment import variables
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import cut

NAME = "VLLM_NIXL_SIDE_CHANNEL_HOST"
_LOOPBACK = ("localhost", "127.", "::1", "0.0.0.0")  # noqa: S104 # compared with, not bound


@rule(
    "DIS106",
    "side-channel-per-host",
    severity=ERROR,
    engines=("vllm",),
    source="vllm/envs.py, VLLM_NIXL_SIDE_CHANNEL_HOST (0.33.0)",
)
def check(launch: Launch) -> Iterator[Violation]:
    """Count the hosts that each such variable holds for."""
    pools = launch.layout.resolved.pools
    if len(pools) == 1:
        return
    for name, value, path in variables(launch.layout.resolved):
        if name != NAME or path[0] == "router":
            continue
        own = [pool for pool in pools if path[: len(pool.prefix)] == pool.prefix]
        hosts = 1 if "nodes" in path else sum(pool.nodes * pool.replicas for pool in own or pools)
        if hosts > 1:
            message = f"{name} is {cut(value)} on {hosts} hosts, each of which has an address of its own"
            yield Violation(message, path, "remove it")
        elif value.startswith(_LOOPBACK):
            yield Violation(f"{name} is {cut(value)}, where other hosts find themselves", path, "remove it")
