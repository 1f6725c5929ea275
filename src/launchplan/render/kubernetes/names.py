"""Names that Kubernetes takes, and the addresses that follow from them."""

from __future__ import annotations

import re

from launchplan.engines import Launch, Process

_LONGEST = 40
"""Pods are called after their workload, group and index; all of it together has 63 characters."""


def base_name(launch: Launch) -> str:
    """Make a DNS label of the recipe's name; a Service's begins with a letter."""
    name = launch.layout.resolved.deployment.recipe.value.name.lower()
    label = re.sub(r"[^a-z0-9]+", "-", name)[:_LONGEST].strip("-")
    return label if label[0].isalpha() else f"m-{label}"


def workload_name(launch: Launch, role: str) -> str:
    """Name the workload of a pool or of the router.

    It isn't the deployment's own name: a LeaderWorkerSet makes a headless Service of its name, and the
    deployment's is that of the Service for clients.
    """
    return f"{base_name(launch)}-{role}"


def pod_host(launch: Launch, process: Process) -> str:
    """Give the DNS name of a process's pod within its namespace.

    The pod of group or ordinal 1 is `<workload>-1.<workload>`, both of a LeaderWorkerSet and a StatefulSet;
    the workers of a group follow as `<workload>-1-2.<workload>`.
    """
    workload = workload_name(launch, process.role)
    worker = f"-{process.node}" if process.node else ""
    return f"{workload}-{process.instance}{worker}.{workload}"
