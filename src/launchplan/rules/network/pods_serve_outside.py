"""The API listens on the loopback of its pod, where nobody reaches it.

## Why

Probes come from the node and requests from a Service; both go to the pod's address. A server on 127.0.0.1
never becomes ready and is restarted for it. SGLang's default is 127.0.0.1; manifests set `--host 0.0.0.0` for
it, unless the recipe sets `serve.host`.

## Fix

Leave `serve.host` out, or write `0.0.0.0`.

## References

- Kubernetes documentation, "Configure Liveness, Readiness and Startup Probes": they ask the pod's IP
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.recipe.cluster import Kubernetes
from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})


@rule("NET112", "pods-serve-outside", severity=WARNING)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look for pools that listen on the loopback where the cluster is Kubernetes."""
    cluster = resolved.deployment.cluster
    if cluster is None or cluster.value.kubernetes == Kubernetes():
        return
    for pool in resolved.pools:
        if pool.serve.host in _LOOPBACK:
            message = f"the API listens on {pool.serve.host}, which neither probes nor Services reach"
            yield Violation(message, pool.path("serve", "host"), "leave it out, or write 0.0.0.0")
