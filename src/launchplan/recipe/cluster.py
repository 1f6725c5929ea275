"""The cluster file: what only the site knows."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from launchplan.recipe.base import Count, Environment, Port, Section, Slug, Text

Address = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:\-\[\]]+$")]
Interface = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:@\-]{1,15}$")]


SlurmOption = Annotated[str, StringConstraints(pattern=r"^-{0,2}[A-Za-z][A-Za-z0-9_-]*$")]
AbsolutePath = Annotated[str, Field(pattern=r"^/")]
HostMount = Annotated[str, Field(pattern=r"^/[^:,\s]*:/[^:,\s]*(:ro|:rw)?$")]
DnsLabel = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
DnsName = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$")]
ResourceName = Annotated[str, Field(pattern=r"^[a-z0-9.-]+/[A-Za-z0-9_.-]+$")]
LabelKey = Annotated[str, Field(pattern=r"^([a-z0-9.-]+/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$")]
LabelValue = Annotated[str, Field(pattern=r"^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$")]
ImageName = Annotated[str, Field(pattern=r"^[^\s,]+$")]


class Node(Section):
    """One host."""

    name: Slug | None = None
    """Host name, for scripts and reports."""
    address: Address
    """Address that the other hosts reach it by."""
    interface: Interface | None = None
    """Its network interface, where it differs from the cluster's."""
    env: Environment = {}
    """Environment of this host only."""


class Network(Section):
    """What connects the hosts."""

    fabric: Text | None = None
    """Catalog id of the fabric; a recipe's own `hardware.fabric` wins."""
    interface: Interface | None = None
    """Interface that carries the rendezvous: `eth0`, `bond0` ..."""
    hcas: list[Text] = []
    """RDMA devices in rail order: `mlx5_0` ..."""


class Ports(Section):
    """Ports that the hosts use among themselves; left out: the engine's defaults."""

    rendezvous: Port | None = None
    """vLLM `--master-port` (29501), SGLang the port of `--dist-init-addr` (20000)."""
    data_parallel_rpc: Port | None = None
    """vLLM `--data-parallel-rpc-port`."""
    ray: Port | None = None
    """Ray's head (6379), where a recipe has Ray start the ranks."""
    kv_side_channel: Port | None = None
    """NIXL's side channel (5600); the port of each rank follows from it."""
    bootstrap: Port | None = None
    """SGLang `--disaggregation-bootstrap-port` (8998)."""


class Paths(Section):
    """Folders on every host."""

    model: AbsolutePath | None = None
    """Folder of the checkpoint; left out: the engine resolves the hub id."""
    hub_cache: AbsolutePath | None = None
    """Hugging Face cache (`HF_HOME`)."""
    local_cache: AbsolutePath | None = None
    """Folder on a disk of the host itself for compiled kernels; left out: `/tmp`, one folder a user."""
    logs: AbsolutePath | None = None
    """Folder for logs."""


class Storage(Section):
    """Where the checkpoint is read from."""

    read_gigabytes_per_s: Annotated[float, Field(gt=0)] | None = None
    """Measured read rate of one host."""
    shared: bool | None = None
    """All hosts read from the same storage."""


class Container(Section):
    """How containers run here."""

    image: ImageName | None = None
    """Image of the engine; wins over the recipe's."""
    router_image: ImageName | None = None
    """Image of the router in front of prefill and decode pools."""
    mounts: list[HostMount] = []
    """Further `/host:/container` mounts; `:ro` behind one keeps the container from writing there."""


class Slurm(Section):
    """How Slurm is used here."""

    partition: Text | None = None
    """Partition."""
    account: Text | None = None
    """Account."""
    qos: Text | None = None
    """Quality of service."""
    time: Text | None = None
    """Time limit, in quotes: `"4:00:00"`."""
    gres: Text | None = None
    """Name of the GPU resource, `gpu:h200` for instance."""
    container: Literal["pyxis", "none"] = "none"
    """Whether jobs run in Pyxis containers."""
    options: dict[SlurmOption, JsonValue] = {}
    """Further `#SBATCH` options, without dashes; they replace launchplan's, `false` takes one away."""


class Systemd(Section):
    """How systemd runs the processes of hosts without a scheduler."""

    folder: Annotated[str, Field(pattern=r"^/[A-Za-z0-9._/-]*[A-Za-z0-9._-]$")] | None = None
    """Folder of the bundle on every host; left out: `/opt/launchplan/` and the recipe's name."""
    user: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$")] | None = None
    """User that the processes run as; left out: root."""


class Kubernetes(Section):
    """How Kubernetes is used here."""

    namespace: DnsLabel | None = None
    """Namespace."""
    api: Literal["deployment", "kserve"] = "deployment"
    """What runs the pods: `deployment` is a Deployment for one node, a LeaderWorkerSet for several;
    `kserve` an LLMInferenceService."""
    gateway: DnsName | None = None
    """Gateway in front: an InferencePool and an HTTPRoute from this Gateway to it are made, too."""
    gpu_resource: ResourceName | None = None
    """`nvidia.com/gpu`, `amd.com/gpu`; left out: the GPU vendor's."""
    rdma_resource: ResourceName | None = None
    """Resource of the RDMA devices: `rdma/ib`."""
    rdma_per_pod: Count | None = None
    """RDMA devices a pod asks for; left out: as many as `network.hcas` names, else one."""
    host_network: bool | None = None
    """Pods use the network of their host; left out: where several nodes speak RoCE."""
    model_claim: DnsName | None = None
    """PersistentVolumeClaim that holds the checkpoint."""
    model_claim_path: AbsolutePath | None = None
    """Where the claim is mounted; left out: `paths.model`, else the hub cache."""
    token_secret: DnsName | None = None
    """Secret that holds the hub token under the key `HF_TOKEN`; left out: `hf-token`, where there is one."""
    node_selector: dict[LabelKey, LabelValue] = {}
    """Labels of the nodes to run on."""
    topology_key: LabelKey | None = None
    """Node label whose value all nodes of a deployment share; left out: `nvidia.com/gpu.clique` where the
    nodes are one NVLink domain."""


class Cluster(Section):
    """A launchplan cluster file."""

    launchplan: Literal[1]
    """Version of the file format: 1."""
    name: Slug
    """Name of the cluster."""
    preset: Text | None = None
    """Catalog id of what was rented: see `launchplan list clusters`."""
    nodes: list[Node] | Count | None = None
    """The hosts in rank order, or how many there are."""
    host_memory_gib: Count | None = None
    """RAM of a host in GiB; left out: the preset's."""
    network: Network = Network()
    """Network."""
    ports: Ports = Ports()
    """Ports between hosts."""
    paths: Paths = Paths()
    """Folders."""
    storage: Storage = Storage()
    """Storage of the checkpoint."""
    container: Container = Container()
    """Containers."""
    slurm: Slurm = Slurm()
    """Slurm."""
    systemd: Systemd = Systemd()
    """systemd."""
    kubernetes: Kubernetes = Kubernetes()
    """Kubernetes."""
    env: Environment = {}
    """Environment of every host."""
