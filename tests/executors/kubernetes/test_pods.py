"""Pods run as processes, each on a host of its own, with what the kubelet and LeaderWorkerSet give them.

They meet: followers reach their head by the name that LeaderWorkerSet gives it, heads bind to their own address,
routers reach every instance by its stable name.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.executors.bundles import bundle_named
from tests.hosts import Host, network
from tests.render.kubelet import RunningPod, manifests, pods_of

STUB = Path(__file__).parents[1] / "stub_engine.py"
STUB_RAY = Path(__file__).parents[1] / "stub_ray.py"
PROGRAMS = {
    **dict.fromkeys(("vllm", "sglang", "vllm-router"), STUB.read_text()),
    "ray": STUB_RAY.read_text(),
}
PYTHON = """#!/bin/bash
if [[ $1 == -c && $2 == *ray.init* ]]; then exec {python} -IS {ray} "$@"; fi
exec -a python3 {python} -IS {router} "$@"
"""
CASES = {
    # What each pod met: the ranks that came to a head, the head that a follower came to.
    "two-nodes": {
        "two-nodes-serve-0": ["1"],
        "two-nodes-serve-0-1": ["two-nodes-serve-0.two-nodes-serve.default:29501"],
    },
    "sglang-two-nodes": {
        "sglang-two-nodes-serve-0": ["1"],
        "sglang-two-nodes-serve-0-1": ["sglang-two-nodes-serve-0.sglang-two-nodes-serve.default:20000"],
    },
    "two-nodes-on-site": {
        "two-nodes-on-site-serve-0": ["1"],
        "two-nodes-on-site-serve-0-1": ["two-nodes-on-site-serve-0.two-nodes-on-site-serve.default:29555"],
    },
    "external-ranks": {
        "external-ranks-serve-0": ["4"],
        "external-ranks-serve-0-1": ["external-ranks-serve-0.external-ranks-serve.default:29550"],
    },
    "ray-two-nodes": {"ray-two-nodes-serve-0": []},
    "pods-on-site": {
        "pods-on-site-serve-0": ["16", "24", "8"],
        **{f"pods-on-site-serve-0-{index}": ["pods-on-site-serve-0.pods-on-site-serve.default:29550"]
           for index in (1, 2, 3)},
    },
    "pools-vllm": {
        "pools-vllm-prefill-0": [],
        "pools-vllm-prefill-1": [],
        "pools-vllm-decode-0": ["8"],
        "pools-vllm-decode-0-1": ["pools-vllm-decode-0.pools-vllm-decode.default:29550"],
    },
    "pools-sglang": {"pools-sglang-prefill-0": [], "pools-sglang-decode-0": []},
    "moonshotai/kimi-k3-pd-vllm": {
        "kimi-k3-pd-vllm-prefill-0": ["1"],
        "kimi-k3-pd-vllm-prefill-0-1": ["kimi-k3-pd-vllm-prefill-0.kimi-k3-pd-vllm-prefill.default:29501"],
        "kimi-k3-pd-vllm-decode-0": ["12", "4", "8"],
        **{f"kimi-k3-pd-vllm-decode-0-{index}": ["kimi-k3-pd-vllm-decode-0.kimi-k3-pd-vllm-decode.default:29550"]
           for index in (1, 2, 3)},
    },
}  # fmt: skip


def run(pods: list[RunningPod], folder: Path, patience_s: str = "30") -> dict[str, dict[str, Any]]:
    """Run every pod at the same time, and give what each wrote."""
    programs = folder / "programs"
    programs.mkdir()
    for name, content in PROGRAMS.items():
        (programs / name).write_text(f"#!{sys.executable} -IS\n{content}")
    (programs / "python3").write_text(PYTHON.format(python=sys.executable, ray=STUB_RAY, router=STUB))
    for program in programs.iterdir():
        program.chmod(0o755)
    aliases = {pod.name: [pod.host, f"{pod.host}.default"] for pod in pods if pod.host}
    routed = {"STUB_ROUTED": "1"} if any(pod.component == "router" for pod in pods) else {}
    routed["STUB_PATIENCE_S"] = patience_s
    hosts = {pod.name: Host(pod.name, f"10.78.0.{index + 11}") for index, pod in enumerate(pods)}
    with network(tuple(hosts.values()), aliases):
        running = []
        for pod in pods:
            env = pod.env(hosts[pod.name].address, "a token")
            own = {
                "PATH": f"{programs}:/usr/bin:/bin:/usr/sbin",
                "STUB_OUT": str(folder / pod.name),
                **routed,
            }
            running.append(
                hosts[pod.name].start(*pod.argv(env), env=own | env, log=folder / f"{pod.name}.log")
            )
        try:
            for process, pod in zip(running, pods, strict=True):
                said = folder / f"{pod.name}.log"
                assert process.wait(timeout=60) == 0, said.read_text()
        finally:
            for process in running:
                process.kill()
                process.wait()
    workers = {pod.name for pod in pods if not (folder / pod.name).exists()}
    found = {name: json.loads((folder / name).read_text()) for name in hosts.keys() - workers}
    found |= {name: json.loads((folder / f"{name}.ray").read_text()) for name in workers}
    return {name: {**record, "address": hosts[name].address} for name, record in found.items()}


@pytest.mark.parametrize("case", CASES)
def test_pods_meet(case: str, tmp_path: Path) -> None:
    pods = pods_of(manifests(bundle_named(case, "kubernetes")))
    found = run(pods, tmp_path)
    assert {name: record["met"] for name, record in found.items() if "met" in record} == CASES[case]
    for pod in pods:
        record = found[pod.name]
        if pod.component in {"prefill", "decode"} and "vllm" in case:
            assert record["side_channel"] == record["address"]
        if pod.component in {"prefill", "decode"} and not pod.index:
            assert record["asked_by"] == ["router"]
        if pod.component == "router":
            heads = [f"{each.host}:{each.container['ports'][0]['containerPort']}"
                     for each in pods if each.component != "router" and not each.index]  # fmt: skip
            assert sorted(record["reached"]) == sorted(heads)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("$(LWS_LEADER_ADDRESS)", "two-nodes-serve"),  # the Service's name, which is that of both pods
        ("$(POD_IP)", "$(LWS_GROUP_SIZE)"),
        ("$(LWS_LEADER_ADDRESS)", "$$(LWS_LEADER_ADDRESS)"),
    ],
)
def test_pods_that_cannot_meet_are_found(old: str, new: str, tmp_path: Path) -> None:
    documents = manifests(bundle_named("two-nodes", "kubernetes"))
    broken = json.loads(json.dumps(documents).replace(old, new))
    with pytest.raises(AssertionError):
        run(pods_of(broken), tmp_path, patience_s="2")


def test_ray_starts_first_and_the_server_has_every_gpu(tmp_path: Path) -> None:
    pods = pods_of(manifests(bundle_named("ray-two-nodes", "kubernetes")))
    found = run(pods, tmp_path)
    server, worker = found["ray-two-nodes-serve-0"], found["ray-two-nodes-serve-0-1"]
    head = json.loads((tmp_path / "ray-two-nodes-serve-0.ray").read_text())
    own = server["address"]
    assert head["argv"] == [
        *("ray", "start", "--head", "--port", "6379", "--node-ip-address", own, "--num-gpus", "8"),
        *("--disable-usage-stats", "--block"),
    ]
    assert worker["argv"] == [
        *("ray", "start", "--address", "ray-two-nodes-serve-0.ray-two-nodes-serve.default:6379"),
        *("--node-ip-address", worker["address"], "--num-gpus", "8", "--block"),
    ]
    assert server["argv"][1:] == [
        *("serve", "acme/model", "--tensor-parallel-size", "8", "--pipeline-parallel-size", "2"),
        *("--distributed-executor-backend", "ray"),
    ]
    assert server["env"]["RAY_ADDRESS"] == f"{own}:6379"
    assert [each["env"]["VLLM_HOST_IP"] for each in (server, head, worker)] == [own, own, worker["address"]]


def test_a_server_waits_for_every_worker_of_ray(tmp_path: Path) -> None:
    leader, _ = pods_of(manifests(bundle_named("ray-two-nodes", "kubernetes")))
    with pytest.raises(AssertionError, match="Ray has too few GPUs"):
        run([leader], tmp_path, patience_s="2")
    assert not (tmp_path / leader.name).exists()
