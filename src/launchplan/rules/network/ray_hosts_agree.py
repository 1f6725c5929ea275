"""Ray over several hosts without what tells them apart.

## Why

Ray starts vLLM's ranks by the addresses that hosts report. A host with several networks may report
another one than its neighbours use unless `VLLM_HOST_IP` says which, on every host; bundles set it, and Ray's
own `--node-ip-address`, by the IP addresses of the cluster file or of the site. Data parallel ranks under the
Ray executor also wait for each other for ever unless Ray places them (`--data-parallel-backend ray`, which a
recipe is given unless it says otherwise).

## Fix

Give the hosts IP addresses in the cluster file, or set `VLLM_HOST_IP` there or on every host before `ray
start`; leave `data-parallel-backend` out.

## References

- vllm-project/vllm issues 13521 and 44878; vLLM 0.33.0 `vllm/v1/engine/utils.py:167`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.past import size
from launchplan.rules.rule import WARNING, Violation, rule


@rule(
    "NET402",
    "ray-hosts-agree",
    severity=WARNING,
    engines=("vllm",),
    source="vllm-project/vllm issues 13521, 44878",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look at what a launch with Ray over several hosts says of them."""
    if view.arguments["distributed_executor_backend"] != "ray" or view.pool.nodes == 1:
        return
    if "VLLM_HOST_IP" not in view.env:
        message = (
            f"ray over {view.pool.nodes} nodes without VLLM_HOST_IP: a host may report the wrong network"
        )
        path = ("cluster", "nodes") if view.pool.deployment.hosts else ("env",)
        yield Violation(message, path, "set VLLM_HOST_IP on every host, before ray start")
    if size(view, "data_parallel_size") > 1 and view.arguments["data_parallel_backend"] != "ray":
        message = "data parallel ranks under ray wait for each other unless ray places them"
        yield Violation(message, view.path("data_parallel_size"), "add data-parallel-backend: ray")
