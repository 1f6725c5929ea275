"""Everything that the templates of the kubernetes target may print."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from launchplan.engines import Launch, Process
from launchplan.engines.pods import left_out
from launchplan.render.kubernetes.names import base_name, pod_host, workload_name
from launchplan.render.kubernetes.pod import Pod, pod_of
from launchplan.render.kubernetes.site import cluster_or_default, launch_of_pods
from launchplan.render.shell.scripts import Script, scripts
from launchplan.resolve import ResolvedPool

_PARTS = {"serve": "serves the API", "prefill": "computes prompts", "decode": "generates tokens",
          "router": "hands requests to prefill and decode"}  # fmt: skip
_WORKERS = "the nodes after the head; they serve no API"


@dataclass(frozen=True, slots=True)
class Workload:
    """What runs the pods of one pool, or of the router."""

    name: str
    component: str
    title: str
    kind: Literal["deployment", "statefulset", "leaderworkerset"]
    replicas: int
    size: int
    """Pods of one instance."""
    leader: Pod
    worker: Pod | None
    needs: tuple[str, ...]
    """What the fabric wants of the platform."""

    @property
    def deployment(self) -> bool:
        """Whether it is a Deployment."""
        return self.kind == "deployment"

    @property
    def leaderworkerset(self) -> bool:
        """Whether it is a LeaderWorkerSet."""
        return self.kind == "leaderworkerset"

    @property
    def leader_alone(self) -> bool:
        """Whether of a group's pods only the leader serves."""
        return self.leaderworkerset and (self.worker is None or not self.worker.serves)


@dataclass(frozen=True, slots=True)
class KubernetesPlan:
    """The context of the kubernetes target."""

    name: str
    """A DNS label: the Service's name and the beginning of all others."""
    recipe: str
    engine: str
    model: str
    namespace: str
    workloads: tuple[Workload, ...]
    front: Workload
    """The one that clients talk to."""
    resources: tuple[str, ...]
    """The manifests, for kustomize."""
    compute_domain: str
    gateway: str
    picker: str
    """Service of the endpoint picker, as its chart calls it for an InferencePool of this name."""
    kserve: bool
    endpoints: tuple[str, ...]
    """URL of each API server, where clients or a balancer of the site spread requests over several."""

    left_out: tuple[str, ...]
    """What the cluster file says of single hosts, which no pod is told."""

    @property
    def leaves_out(self) -> bool:
        """Whether anything is said of single hosts."""
        return bool(self.left_out)

    @property
    def balanced_outside(self) -> bool:
        """Whether every API server is an endpoint of its own."""
        return bool(self.endpoints)

    @property
    def has_namespace(self) -> bool:
        """Whether the site names a namespace."""
        return bool(self.namespace)

    @property
    def has_gateway(self) -> bool:
        """Whether a Gateway stands in front."""
        return bool(self.gateway)

    @property
    def has_compute_domain(self) -> bool:
        """Whether the nodes need an IMEX domain."""
        return bool(self.compute_domain)


def kubernetes_plan(given: Launch) -> KubernetesPlan:
    """Bring a launch into the form that the templates print."""
    launch = launch_of_pods(given)
    deployment = launch.layout.resolved.deployment
    cluster = cluster_or_default(given).kubernetes
    kserve = cluster.api == "kserve"
    workloads = tuple(_workloads(launch, "main" if kserve else ""))
    domain = next((each.leader.compute_domain for each in workloads if each.leader.compute_domain), "")
    return KubernetesPlan(
        name=base_name(launch),
        recipe=deployment.recipe.value.name,
        engine=deployment.engine_label,
        model=launch.model_name,
        namespace=cluster.namespace or "",
        workloads=workloads,
        front=workloads[-1] if workloads[-1].component == "router" else workloads[0],
        resources=tuple(_resources(workloads, domain, cluster.gateway or "", kserve=kserve)),
        compute_domain=domain,
        gateway="" if kserve else cluster.gateway or "",
        picker=f"{base_name(launch)}-epp",
        kserve=kserve,
        endpoints=tuple(_endpoints(launch)),
        left_out=tuple(
            f"{what} (nodes[{path[2]}] of the cluster file)" for path, what in left_out(given.layout.resolved)
        ),
    )


def _endpoints(launch: Launch) -> Iterator[str]:
    """Name every API server of a launch in which each pod of a group has some, by the pod's stable name."""
    heads = [each for each in launch.heads if each.role == "serve"]
    if sum(each.servers for each in heads) > 1 and any(each.node for each in heads):
        for process in heads:
            for port in process.ports:
                yield f"http://{pod_host(launch, process)}:{port}"


def _resources(workloads: tuple[Workload, ...], domain: str, gateway: str, *, kserve: bool) -> Iterator[str]:
    if domain:
        yield "compute-domain.yaml"
    if kserve:
        yield "llm-inference-service.yaml"
        return
    for workload in workloads:
        yield f"{workload.component}.yaml"
    if workloads[-1].leader.serves:
        yield "service.yaml"
    if gateway:
        yield "gateway.yaml"


def _workloads(launch: Launch, container: str) -> Iterator[Workload]:
    titles = {script.name: script for script in scripts(launch)}
    for pool in launch.layout.resolved.pools:
        of_pool = [each for each in launch.processes if each.role == pool.role]
        leader, *workers = (each for each in of_pool if each.instance == 0)
        kind: Literal["deployment", "statefulset", "leaderworkerset"] = "leaderworkerset"
        if pool.nodes == 1:
            kind = "deployment" if pool.role == "serve" else "statefulset"
        yield Workload(
            name=workload_name(launch, pool.role),
            component=pool.role,
            title=_PARTS[pool.role],
            kind=kind,
            replicas=pool.replicas,
            size=pool.nodes,
            leader=_pod(launch, (leader,), titles, container),
            worker=pod_of(launch, tuple(workers), _WORKERS, container) if workers else None,
            needs=_needs(pool),
        )
    for router in (each for each in launch.processes if each.role == "router"):
        pod = _pod(launch, (router,), titles, "")
        yield Workload(
            workload_name(launch, "router"), "router", _PARTS["router"], "deployment", 1, 1, pod, None, ()
        )


def _needs(pool: ResolvedPool) -> tuple[str, ...]:
    """List what the fabric of a pool that speaks to other nodes wants of the platform."""
    speaks = pool.nodes > 1 or pool.role != "serve"
    return pool.fabric.platform_needs if pool.fabric is not None and speaks else ()


def _pod(launch: Launch, processes: tuple[Process, ...], titles: dict[str, Script], container: str) -> Pod:
    return pod_of(launch, processes, titles[processes[0].name].title, container)
