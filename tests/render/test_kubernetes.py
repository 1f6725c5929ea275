"""Manifests are ones that a server takes, and their pods run what the launch plans."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan.engines import Launch, Process, Site
from launchplan.render import render_bundle
from tests.render.api_server import complaints
from tests.render.kit import CASES, HERE, Host, case_bundle, case_launch, fill, make_launch
from tests.render.kubelet import Manifest, RunningPod, expand, manifests, pods_of

PODS = tuple(case for case in CASES if case not in {"kserve-pools", "ray-two-nodes"})
"""Cases whose pods run one program; that of Ray's head runs two, see tests/executors/kubernetes."""
IP = "10.1.2.3"
ANYWHERE = "0.0.0.0"  # noqa: S104 # compared with, not bound
ADDRESS = {"vllm": "VLLM_HOST_IP", "sglang": "SGLANG_HOST_IP"}


def without_hosts(case: str) -> Launch:
    """Plan a case as one that any pod may run: without hosts and, but on their network, without interfaces."""
    path = HERE / "recipes" / f"{case}.cluster.yaml"
    if not path.exists():
        return case_launch(case)
    cluster = yaml.safe_load(path.read_text())
    cluster.pop("nodes", None)
    if case != "pods-on-site":
        cluster.get("network", {}).pop("interface", None)
    return make_launch(HERE / "recipes" / f"{case}.yaml", cluster)


def site_of_pod(launch: Launch, pod: RunningPod, pods: list[RunningPod]) -> dict[str, str]:
    """Say what the site's values are in a pod: others by their names, itself by its address."""
    site = {"NODE_ADDR": IP, "NODE_IFNAME": "eth0", "LOCAL_CACHE": "/var/cache/launchplan"}
    for process in launch.processes:
        if process.role == "router" or process.node:
            continue
        own = (process.role, process.instance) == (pod.component, pod.group)
        host = next(each.host for each in pods
                    if (each.component, each.group, each.index) == (process.role, process.instance, 0))  # fmt: skip
        address = host if not own else pod.injected["LWS_LEADER_ADDRESS"] if pod.index else IP
        site |= {part.variable: address for part in process.address if isinstance(part, Site)}
    return site


def without(argv: list[str], flag: str) -> list[str]:
    """Take a flag and its value out."""
    if flag not in argv:
        return argv
    at = argv.index(flag)
    return argv[:at] + argv[at + 2 :]


def process_of(launch: Launch, pod: RunningPod) -> Process:
    return next(each for each in launch.processes
                if (each.role, each.instance, each.node) == (pod.component, pod.group, pod.index))  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_server_has_no_complaints(case: str) -> None:
    documents = manifests(case_bundle(case))
    assert complaints([each for each in documents if each["kind"] != "HTTPRoute"]) == []


@pytest.mark.parametrize("case", PODS)
def test_pods_run_the_planned_commands(case: str, tmp_path: Path) -> None:
    host, launch = Host(tmp_path), without_hosts(case)
    host.record("vllm", "sglang", "vllm-router", "python3")
    pods = pods_of(manifests(case_bundle(case)))
    assert len(pods) == len(launch.processes)
    for pod in pods:
        process = process_of(launch, pod)
        site = site_of_pod(launch, pod, pods)
        env = pod.env(IP, "a token")
        run = host.run(*pod.argv(env), env=env)
        assert (run.code, run.stderr) == (0, "")
        planned = [fill(word, site) for word in process.argv]
        alone = process.role == "serve" and process.node == 0 and planned[0] == "sglang"
        more = ["--host", ANYWHERE] if alone and "--host" not in planned else []
        start = "--data-parallel-start-rank"
        if start in run.argv:
            assert run.argv[run.argv.index(start) + 1] == planned[planned.index(start) + 1]
        assert without(run.argv, start) == without(planned, start) + more
        wanted = {each.name: fill(each.value, site) for each in (*launch.env, *process.env)}
        if case == "data-parallel":  # on their hosts' network, whose interface nobody names
            del wanted["NCCL_SOCKET_IFNAME"], wanted["GLOO_SOCKET_IFNAME"]
        own = {"POD_IP": IP, "HF_TOKEN": "a token"} if process.role != "router" else {}
        known = ADDRESS[launch.layout.resolved.deployment.engine]
        several = process.role != "router" and (process.node or pod.injected or process.role != "serve")
        assert run.env == {**own, **({known: IP} if several else {}), **pod.injected, **wanted}


@pytest.mark.parametrize("case", CASES)
def test_every_pod_keeps_service_links_out(case: str) -> None:
    for pod in pods_of(manifests(case_bundle(case))):
        assert pod.spec["enableServiceLinks"] is False


def test_no_file_holds_a_token() -> None:
    for case in CASES:
        for pod in pods_of(manifests(case_bundle(case))):
            token = [each for each in pod.container.get("env", []) if each["name"] == "HF_TOKEN"]
            assert all("value" not in each for each in token)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$(A) $$(A) $$$(A) $(B) $A $ $$", "1 $(A) $1 $(B) $A $ $"),
        ("$(A", "$(A"),
        ("x$$", "x$"),
    ],
)
def test_expansion_is_the_kubelets(text: str, expected: str) -> None:
    assert expand(text, {"A": "1"}) == expected


DEPLOYMENT = "Deployment/one-node-serve"


def container(documents: list[Manifest]) -> Any:
    return documents[0]["spec"]["template"]["spec"]["containers"][0]


def pod(documents: list[Manifest]) -> Any:
    return documents[0]["spec"]["template"]["spec"]


def limits(name: str, text: str) -> Callable[[list[Manifest]], Any]:
    return lambda d: container(d)["resources"]["limits"].update({name: text})


# What a Kubernetes 1.36 server refuses, or warns of where "warns" stands there.
SERVER: dict[str, Callable[[list[Manifest]], Any]] = {
    "GPU request below its limit": lambda d: container(d)["resources"]["requests"].update(
        {"nvidia.com/gpu": "4"}
    ),
    "GPU request alone": lambda d: container(d)["resources"]["limits"].pop("nvidia.com/gpu"),
    "half a GPU": limits("nvidia.com/gpu", "0.5"),
    "CPU request above its limit": limits("cpu", "1"),
    "resource without domain": limits("gpu", "1"),
    "quantity of GiB": limits("memory", "64GiB"),
    "two ports of a name": lambda d: container(d)["ports"].append({"containerPort": 9000, "name": "http"}),
    "warns: one port twice": lambda d: container(d)["ports"].append({"containerPort": 8123, "name": "h2"}),
    "long name of a port": lambda d: container(d)["ports"][0].update(name="a-very-long-port-name"),
    "negative threshold": lambda d: container(d)["startupProbe"].update(failureThreshold=-1),
    "liveness of two successes": lambda d: container(d)["livenessProbe"].update(successThreshold=2),
    "two handlers": lambda d: container(d)["readinessProbe"].update(tcpSocket={"port": 8123}),
    "= in a variable": lambda d: container(d)["env"].append({"name": "A=B", "value": "x"}),
    "value and its source": lambda d: container(d)["env"][0].update(value="x"),
    "warns: variable twice": lambda d: container(d)["env"].append({"name": "EMPTY", "value": ""}),
    "unknown field": lambda d: container(d)["env"][0]["valueFrom"]["fieldRef"].update(
        fieldPath="status.nope"
    ),
    "place mounted twice": lambda d: container(d)["volumeMounts"].append(container(d)["volumeMounts"][0]),
    "volume of two sources": lambda d: pod(d)["volumes"][1].update(hostPath={"path": "/x"}),
    "space in a label": lambda d: d[0]["metadata"]["labels"].update(model="meta-llama/Llama 3"),
    "slash in a label": lambda d: d[0]["metadata"]["labels"].update(model="meta-llama/Llama-3"),
    "long label": lambda d: d[0]["metadata"]["labels"].update(model="a" * 64),
    "warns: dots in the name": lambda d: d[0]["metadata"].update(name="qwen2.5"),
    "dots in a container's name": lambda d: container(d).update(name="qwen2.5"),
    "another port on the host": lambda d: (
        pod(d).update(hostNetwork=True, dnsPolicy="ClusterFirstWithHostNet"),
        container(d)["ports"][0].update(hostPort=9),
    ),
    "restart policy": lambda d: pod(d).update(restartPolicy="Never"),
    "no image": lambda d: container(d).update(image=""),
    "privileged without escalation": lambda d: container(d)["securityContext"].update(
        privileged=True, allowPrivilegeEscalation=False
    ),
    "toleration's operator": lambda d: pod(d)["tolerations"][0].update(operator="Exist"),
    "toleration of a value that exists": lambda d: pod(d)["tolerations"][0].update(value="x"),
    "warns: negative grace": lambda d: pod(d).update(terminationGracePeriodSeconds=-1),
    "runtime class": lambda d: pod(d).update(runtimeClassName="Nvidia_X"),
    "rollout of nothing": lambda d: d[0]["spec"].update(
        strategy={"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}
    ),
}
# What a server takes though it cannot work.
OURS: dict[str, Callable[[list[Manifest]], Any]] = {
    "probe of no port": lambda d: container(d)["readinessProbe"]["httpGet"].update(port="nope"),
    "medium": lambda d: pod(d)["volumes"][0]["emptyDir"].update(medium="Ram"),
    "shared memory above the limit": limits("memory", "1Gi"),
    "space in the image": lambda d: container(d).update(image=" vllm/vllm-openai:x "),
    "selector of other labels": lambda d: d[0]["spec"]["selector"]["matchLabels"].update(x="y"),
    "mount of no volume": lambda d: container(d)["volumeMounts"].append({"name": "gone", "mountPath": "/g"}),
    "volume that nothing mounts": lambda d: pod(d)["volumes"].append({"name": "more", "emptyDir": {}}),
    "variable before it is set": lambda d: container(d)["env"].insert(0, {"name": "X", "value": "$(POD_IP)"}),
    "cluster's names on the host's network": lambda d: pod(d).update(hostNetwork=True),
    "Service of no pod": lambda d: d[1]["spec"]["selector"].update({"app.kubernetes.io/component": "x"}),
    "Service to no port": lambda d: d[1]["spec"]["ports"][0].update(targetPort="https"),
    "name of a Service": lambda d: d[1]["metadata"].update(name="8-gpus"),
    "an object twice": lambda d: d.append(d[1]),
    "affinity without a selector": lambda d: pod(d).update(
        affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "a"}]}}
    ),
    "claim that is not there": lambda d: container(d)["resources"].update(claims=[{"name": "imex"}]),
}


@pytest.mark.parametrize("fault", [*SERVER, *OURS])
def test_the_check_finds(fault: str) -> None:
    documents = copy.deepcopy(manifests(case_bundle("one-node")))
    assert complaints(documents) == []
    (SERVER | OURS)[fault](documents)
    assert complaints(documents) != []


# What the webhook of LeaderWorkerSet refuses.
GROUPS: dict[str, dict[str, Any]] = {
    "no pods": {"size": 0},
    "more pods than numbers": {"size": 2**31},
    "subgroup larger than the group": {"subGroupPolicy": {"subGroupSize": 3}},
    "subgroups that do not divide it": {"size": 4, "subGroupPolicy": {"subGroupSize": 3}},
    "subgroups that do not divide the workers": {
        "size": 4,
        "subGroupPolicy": {"subGroupSize": 2, "subGroupPolicyType": "LeaderExcluded"},
    },
}


@pytest.mark.parametrize("fault", GROUPS)
def test_the_check_finds_groups_that_cannot_be(fault: str) -> None:
    documents = copy.deepcopy(manifests(case_bundle("two-nodes")))
    assert complaints(documents) == []
    documents[0]["spec"]["leaderWorkerTemplate"].update(GROUPS[fault])
    assert complaints(documents) != []


@pytest.mark.parametrize("change", [{"replicas": -1}, {"rolloutStrategy": {
    "rollingUpdateConfiguration": {"maxUnavailable": 0, "maxSurge": 0}}}])  # fmt: skip
def test_the_check_finds_replicas_that_cannot_be(change: dict[str, Any]) -> None:
    documents = copy.deepcopy(manifests(case_bundle("two-nodes")))
    documents[0]["spec"].update(change)
    assert complaints(documents) != []


def test_the_longest_name_of_a_pod_is_a_hosts_name() -> None:
    recipe = yaml.safe_load((HERE / "recipes" / "two-nodes.yaml").read_text())
    launch = make_launch(recipe | {"name": "Q" * 63})
    bundle = render_bundle(launch, (), ("kubernetes",), None)
    assert complaints(manifests(bundle)) == []
    assert manifests(bundle)[0]["metadata"]["name"] == "q" * 40 + "-serve"


@pytest.mark.parametrize(("name", "label"), [("8xB200.fp8", "m-8xb200-fp8"), ("A_b", "a-b"), ("9", "m-9")])
def test_names_become_labels(name: str, label: str) -> None:
    recipe = yaml.safe_load((HERE / "recipes" / "two-nodes.yaml").read_text())
    documents = manifests(render_bundle(make_launch(recipe | {"name": name}), (), ("kubernetes",), None))
    assert [each["metadata"]["name"] for each in documents] == [f"{label}-serve", label]
    assert complaints(documents) == []


@pytest.mark.parametrize("mode", ["internal", "hybrid", "external"])
def test_every_api_server_is_reached(mode: str) -> None:
    recipe = yaml.safe_load((HERE / "recipes" / "external-ranks.yaml").read_text())
    recipe["model"] = str(HERE / "recipes" / recipe["model"])
    recipe["parallel"]["load_balancing"] = mode
    launch = make_launch(recipe, {"launchplan": 1, "name": "pods", "kubernetes": {"gateway": "front"}})
    bundle = render_bundle(launch, (), ("kubernetes",), None)
    documents = manifests(bundle)
    (service,) = (each for each in documents if each["kind"] == "Service")
    (pool,) = (each for each in documents if each["kind"] == "InferencePool")
    serving = [pod for pod in pods_of(documents) if "ports" in pod.container]
    named = {
        pod.host: {each["name"]: each["containerPort"] for each in pod.container["ports"]} for pod in serving
    }
    ports = [each["port"] for each in service["spec"]["ports"]]
    for each in service["spec"]["ports"]:
        assert {names[each["targetPort"]] for names in named.values()} == {each["port"]}
    assert [each["number"] for each in pool["spec"]["targetPorts"]] == ports
    heads = [each for each in launch.processes if each.port is not None]
    assert sorted((pod.index, port) for pod in serving for port in ports) == sorted(
        (head.node, port) for head in heads for port in head.ports
    )
    told = [
        line[4:]
        for line in bundle.files["kubernetes/service.yaml"].decode().splitlines()
        if "http://" in line
    ]
    assert told == ([f"http://{host}:{port}" for host in named for port in ports] if len(heads) > 1 else [])
    for pod in serving:
        probed = {pod.container[probe]["httpGet"]["port"] for probe in ("readinessProbe", "livenessProbe")}
        assert probed == {"health" if mode == "external" else "http"}


def test_what_all_hosts_share_reaches_pods_and_the_rest_is_named() -> None:
    recipe = {
        "launchplan": 1,
        "name": "hosts",
        "model": str(HERE / "recipes" / "models" / "dense.json"),
        "checkpoint": "acme/model",
        "engine": {"name": "vllm", "version": "0.33.0"},
        "hardware": {"gpu": "h200", "nodes": 2, "gpus_per_node": 8, "fabric": "roce"},
        "parallel": {"tp": 16},
        "env": {"OWN": "recipe"},
    }
    nodes = [
        {"address": "10.0.0.1", "interface": "bond0", "env": {"SAME": "1", "OTHER": "a", "OWN": "host"}},
        {"address": "10.0.0.2", "interface": "bond0", "env": {"SAME": "1", "OTHER": "b", "OWN": "host"}},
    ]
    bundle = render_bundle(
        make_launch(recipe, {"launchplan": 1, "name": "ours", "nodes": nodes}), (), ("kubernetes",), None
    )
    for pod in pods_of(manifests(bundle)):
        env = pod.env(IP)
        assert (env["SAME"], env["OWN"], env["GLOO_SOCKET_IFNAME"]) == ("1", "recipe", "bond0")
        assert "OTHER" not in env
    told = [
        line
        for line in bundle.files["kubernetes/kustomization.yaml"].decode().splitlines()
        if "nodes[" in line
    ]
    assert told == [
        f"#   {name} (nodes[{index}] of the cluster file)" for index in (0, 1) for name in ("OTHER", "OWN")
    ]
