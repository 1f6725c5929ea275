"""One address for several hosts, in a variable by which each host names itself.

## Why

`VLLM_HOST_IP`, `SGLANG_HOST_IP` and `VLLM_NIXL_SIDE_CHANNEL_HOST` tell the others where this host is. Under
an `env` that several hosts share they name one host for all, and a loopback address names whoever asks.
Servers are healthy all the same: the rendezvous hangs, or decode asks itself for the KV cache and answers
HTTP 500.

## Fix

Remove the variable, launchplan sets it on each host; or give it under `nodes` of the cluster file.

## References

- vLLM 0.33.0 `vllm/envs.py`, `distributed/kv_transfer/kv_connector/v1/nixl/base_scheduler.py:78`
- seen with vLLM 0.32.0: `Remote NIXL agent engine ID mismatch`, `"remote_host": "localhost"`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import Resolved
from launchplan.rules.environment import variables
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import cut

_NAMES = frozenset({"VLLM_HOST_IP", "SGLANG_HOST_IP", "VLLM_NIXL_SIDE_CHANNEL_HOST"})
_LOOPBACK = ("localhost", "127.", "::1", "0.0.0.0")  # noqa: S104 # compared with, not bound


@rule("NET109", "own-address-per-host", severity=ERROR, source="vllm/envs.py (0.33.0)")
def check(resolved: Resolved) -> Iterator[Violation]:
    """Count the hosts that each such variable holds for."""
    total = sum(pool.nodes * pool.replicas for pool in resolved.pools)
    if total == 1:
        return
    for name, value, path in variables(resolved):
        if name not in _NAMES or path[0] == "router":
            continue
        pool = next(
            (each for each in resolved.pools if each.prefix and path[: len(each.prefix)] == each.prefix), None
        )
        hosts = 1 if "nodes" in path else total if pool is None else pool.nodes * pool.replicas
        if hosts > 1:
            message = f"{name} is {cut(value)} on {hosts} hosts, each of which has an address of its own"
            yield Violation(message, path, "remove it")
        elif value.startswith(_LOOPBACK):
            yield Violation(
                f"{name} is {cut(value)}, where the other hosts find themselves", path, "remove it"
            )
