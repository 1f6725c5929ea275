"""API servers of a pod that what stands in front does not ask.

## Why

With external load balancing a pod has an API server for each of its data parallel ranks, on ports in a row.
A Service names them all; an InferencePool takes eight target ports, and KServe's own asks port 8000 of each
pod alone, where SGLang's default is 30000. Ranks that nobody asks compute along and answer nothing.

## Fix

`parallel.load_balancing: hybrid`, which has one API server a pod, or leave it out; `serve.port: 8000` under
KServe.

## References

- gateway-api-inference-extension v1.6.0 `inference.networking.k8s.io_inferencepools.yaml` (`targetPorts`,
  maxItems 8); kserve `config/llmisvcconfig/config-llm-scheduler.yaml` (`targetPorts` number 8000)
- vLLM 0.33.0 `vllm/entrypoints/launchers/dp_supervisor.py:124` (a child's port is the first one plus its
  rank)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import Launch, Process
from launchplan.engines.hosts import cluster_of
from launchplan.recipe.cluster import Kubernetes
from launchplan.rules.rule import WARNING, Violation, rule

MOST_PORTS = 8
KSERVE_PORT = 8000


@rule(
    "NET113", "pods-serve-every-rank", severity=WARNING, source="inferencepools.yaml: targetPorts, maxItems 8"
)
def check(launch: Launch) -> Iterator[Violation]:
    """Compare a head's API servers with what the site puts in front of its pod."""
    cluster = cluster_of(launch.layout.resolved.deployment)
    if cluster is None:
        return
    for process in launch.processes:
        if process.role == "serve" and process.node == 0:
            problem = _problem(process, cluster.kubernetes)
            if problem is not None:
                yield problem


def _problem(process: Process, site: Kubernetes) -> Violation | None:
    key = ("parallel", "load_balancing")
    if site.api == "kserve" and process.ports != range(KSERVE_PORT, KSERVE_PORT + 1):
        listens = f"port {process.port}" if process.servers == 1 else f"ports {_span(process)}"
        message = f"KServe asks port {KSERVE_PORT} of a pod, whose API is on {listens}"
        if process.servers > 1:
            return Violation(message, key, "use hybrid")
        return Violation(message, ("serve", "port"), f"set serve.port to {KSERVE_PORT}")
    if site.gateway is not None and process.servers > MOST_PORTS:
        message = f"an InferencePool takes {MOST_PORTS} ports, a pod has {process.servers} API servers"
        return Violation(message, key, "use hybrid")
    return None


def _span(process: Process) -> str:
    return f"{process.ports[0]} to {process.ports[-1]}"
