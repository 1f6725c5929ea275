"""The LLMInferenceService of a launch: KServe makes workloads, scheduler and route of it."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines import Launch
from launchplan.render.kubernetes.context import KubernetesPlan, Workload
from launchplan.render.kubernetes.pod import Pod
from launchplan.render.kubernetes.site import cluster_or_default
from launchplan.resolve import ResolvedPool


@dataclass(frozen=True, slots=True)
class Parallelism:
    """How KServe counts a layout.

    The commands are ours; of these numbers it takes the pods of a group: `data` over `dataLocal`, else
    `pipeline`
    (ParallelismSpec.GetSize).
    """

    tensor: int
    pods: int
    data: int
    expert: bool

    @property
    def data_local(self) -> int:
        """Data parallel ranks of one pod."""
        return self.data // self.pods

    @property
    def by_data(self) -> bool:
        """Whether each pod has data parallel ranks of its own, so that they count the pods."""
        return self.data > 1 and self.data % self.pods == 0

    @property
    def by_pipeline(self) -> bool:
        """Whether the pods are counted as if each were a stage."""
        return self.pods > 1 and not self.by_data


@dataclass(frozen=True, slots=True)
class KServePlan:
    """What the service says beside its pods; the part that serves is the decode pool where there are two."""

    uri: str
    replicas: int
    parallelism: Parallelism
    leader: Pod
    worker: Pod
    has_worker: bool
    has_prefill: bool
    prefill_replicas: int
    prefill_parallelism: Parallelism
    prefill_leader: Pod
    prefill_worker: Pod
    has_prefill_worker: bool
    gateway: str

    @property
    def has_gateway(self) -> bool:
        """Whether the site names the Gateway; else KServe takes its own."""
        return bool(self.gateway)


def kserve_plan(launch: Launch, plan: KubernetesPlan) -> KServePlan:
    """Describe the service; KServe's own scheduler takes the router's place."""
    workloads = {each.component: each for each in plan.workloads}
    main = workloads.get("decode") or workloads["serve"]
    prefill = workloads.get("prefill", main)
    pools: dict[str, ResolvedPool] = {pool.role: pool for pool in launch.layout.resolved.pools}
    return KServePlan(
        uri=_uri(launch),
        replicas=main.replicas,
        parallelism=_parallelism(pools[main.component]),
        leader=main.leader,
        worker=main.worker or main.leader,
        has_worker=main.worker is not None,
        has_prefill=prefill is not main,
        prefill_replicas=prefill.replicas,
        prefill_parallelism=_parallelism(pools[prefill.component]),
        prefill_leader=prefill.leader,
        prefill_worker=prefill.worker or prefill.leader,
        has_prefill_worker=_has_worker(prefill),
        gateway=cluster_or_default(launch).kubernetes.gateway or "",
    )


def _has_worker(workload: Workload) -> bool:
    return workload.worker is not None


def _uri(launch: Launch) -> str:
    cluster = cluster_or_default(launch)
    if cluster.kubernetes.model_claim:
        return f"pvc://{cluster.kubernetes.model_claim}"
    return f"hf://{launch.layout.resolved.deployment.checkpoint}"


def _parallelism(pool: ResolvedPool) -> Parallelism:
    sizes = pool.parallel
    return Parallelism(sizes.tp, pool.nodes, sizes.dp, sizes.ep > 1)
