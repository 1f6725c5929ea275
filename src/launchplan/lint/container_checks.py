"""What a container must give the ranks of a server in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from launchplan.lint.found import Launch
from launchplan.lint.problems import Note
from launchplan.lint.unknowns import Reading
from launchplan.units import decimal

_SIZES = {
    "--tensor-parallel-size": "tp", "-tp": "tp", "--tp": "tp", "--tp-size": "tp",
    "--pipeline-parallel-size": "pp", "-pp": "pp", "--pp-size": "pp", "--pp": "pp", "--nnodes": "nodes",
}  # fmt: skip
_SHARED = {
    "docker": "add --ipc=host, or --shm-size=16g",
    "compose": "add 'ipc: host', or 'shm_size: 16gb'",
    "kubernetes": "mount an emptyDir with 'medium: Memory' at /dev/shm",
}
_SHARED_SOURCE = (
    "vLLM docs, deployment/docker: --ipc=host or --shm-size; NCCL, ncclShmOpen; "
    "vllm-project/vllm issues 1393 and 1710"
)
_WHOLE_HOST = 8
"""GPUs of a host that has several networks for certain."""
_GLOO_SOURCE = "torch/csrc/distributed/c10d/ProcessGroupGloo.cpp; aws-samples/aws-do-eks pull request 50"


def sizes(launch: Launch) -> dict[str, int]:
    """Read the sizes of a command's layout; without those that are not known."""
    found: dict[str, int] = {}
    for place in range(launch.start, len(launch.tokens)):
        name, sign, value = launch.tokens[place].text.partition("=")
        key = _SIZES.get(name.replace("_", "-"))
        if key is None:
            continue
        if not sign:
            value = launch.tokens[place + 1].text if place + 1 < len(launch.tokens) else ""
        if (size := decimal(value)) is not None:
            found[key] = size
    return found


def container_notes(launch: Launch, reading: Reading) -> Iterator[Note]:
    """Judge shared memory and the network of a command's container."""
    container = launch.around.container
    if container is None:
        return
    given = sizes(launch)
    ranks = given.get("tp", 1) * given.get("pp", 1)
    nodes = given.get("nodes") or launch.around.nodes or 1
    here = max(1, ranks // nodes)
    if container.shared_memory is False and here > 1 and not reading.open and launch.partial is None:
        message = f"{here} ranks share memory in a container that has 64 MiB of it"
        yield Note("CMD109", message, container.token.start, _SHARED[container.kind], _SHARED_SOURCE)
    interfaces = {"GLOO_SOCKET_IFNAME", "VLLM_HOST_IP"} if launch.engine == "vllm" else {"GLOO_SOCKET_IFNAME"}
    if (
        container.kind == "kubernetes"
        and container.host_network
        and nodes > 1
        and not interfaces & launch.env.keys()
    ):
        whole = here >= _WHOLE_HOST
        message = (
            f"hostNetwork{f' on hosts of {here} GPUs' if whole else ''}, and no interface is named: "
            "gloo takes the one that the host's name resolves to, or 127.0.0.1"
        )
        fix = "set GLOO_SOCKET_IFNAME and NCCL_SOCKET_IFNAME on every node"
        yield Note("CMD113" if whole else "CMD111", message, container.token.start, fix, _GLOO_SOURCE)


def service_notes(launches: Mapping[str, int], services: Mapping[str, int]) -> Iterator[Note]:
    """Find Services whose name makes Kubernetes set a variable that vLLM reads as its own port."""
    for name, start in services.items():
        if name.lower() == "vllm" and launches.get("vllm"):
            message = (
                "a Service named vllm makes Kubernetes set VLLM_PORT=tcp://... in the pods of its namespace; "
                "vLLM refuses to start"
            )
            fix = "give the Service another name, or set 'enableServiceLinks: false' in the pod"
            yield Note("CMD110", message, start, fix, "vllm/envs.py, get_vllm_port")
