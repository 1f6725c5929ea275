"""Ray in place of the engines' own way over several hosts: who runs what, and with which flags."""

from __future__ import annotations

from typing import Any

import pytest

from launchplan.engines import BY_NAME, Launch, build_launch
from launchplan.engines.commands import bare_text, command_text
from launchplan.engines.ports import ports_of
from launchplan.layout import place
from launchplan.recipe import load_cluster, load_recipe
from launchplan.resolve import resolve

HEAD = "ray start --head --port 6379 --node-ip-address $HEAD_ADDR --num-gpus 8 --disable-usage-stats"
WORKER = "ray start --address $HEAD_ADDR:6379 --node-ip-address $NODE_ADDR --num-gpus 8 --block"
VLLM = {"args": {"distributed-executor-backend": "ray"}}
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "tensor and pipeline": (
        {"parallel": {"tp": 8, "pp": 2}, **VLLM},
        "--tensor-parallel-size 8 --pipeline-parallel-size 2 --distributed-executor-backend ray",
    ),
    "data parallel ranks within a node": (
        {"parallel": {"dp": 16, "ep": 16}, **VLLM},
        """--data-parallel-size 16 --enable-expert-parallel --data-parallel-backend ray
        --data-parallel-size-local 8 --distributed-executor-backend ray""",
    ),
    "data parallel ranks over nodes": (
        {"hardware": {"gpu": "h200", "nodes": 4, "gpus_per_node": 8}, "parallel": {"tp": 16, "dp": 2}, **VLLM},
        """--tensor-parallel-size 16 --data-parallel-size 2 --data-parallel-backend ray
        --distributed-executor-backend ray""",
    ),
    "the data parallel backend alone": (
        {"parallel": {"tp": 8, "dp": 2}, "args": {"data_parallel_backend": "ray"}},
        "--tensor-parallel-size 8 --data-parallel-size 2 --data-parallel-size-local 1 --data-parallel-backend ray",
    ),
    "sglang": (
        {"engine": {"name": "sglang"}, "parallel": {"tp": 16}, "args": {"use-ray": True}},
        "--tp-size 16 --nnodes 2 --use-ray",
    ),
    "sglang with data parallel attention": (
        {"engine": {"name": "sglang"}, "parallel": {"tp": 2, "dp": 8}, "args": {"use-ray": True}},
        "--tp-size 16 --attn-dp-size 8 --nnodes 2 --dist-init-addr $HEAD_ADDR:20000 --use-ray",
    ),
}  # fmt: skip


def launch(more: dict[str, Any], cluster: dict[str, Any] | None = None) -> Launch:
    data = {
        "launchplan": 1,
        "name": "ray",
        "model": "deepseek-ai/DeepSeek-R1",
        "engine": {"name": "vllm", "version": "0.33.0"},
        "hardware": {"gpu": "h200", "nodes": 2, "gpus_per_node": 8},
        **more,
    }
    site = load_cluster({"launchplan": 1, "name": "ours", **cluster}) if cluster is not None else None
    layout = place(resolve(load_recipe(data), site))
    assert layout is not None
    return build_launch(layout)


def shown(words: tuple[Any, ...]) -> str:
    return " ".join(bare_text(word) for word in words)


@pytest.mark.parametrize("case", CASES)
def test_the_head_alone_is_given_the_engine(case: str) -> None:
    more, flags = CASES[case]
    made = launch(more)
    head, *workers = made.processes
    engine = made.layout.resolved.deployment.engine
    assert head.ray is not None
    assert shown(head.ray.argv) == HEAD
    assert head.ray.gpus == len(made.layout.pools[0].ranks)
    assert shown(head.argv) == f"{shown(BY_NAME[engine].command(head.model))} {' '.join(flags.split())}"
    assert [shown(each.argv) for each in workers] == [WORKER] * len(workers)
    assert {(each.port, each.ray, each.is_worker) for each in workers} == {(None, None, True)}


def test_ranks_over_nodes_are_packed_by_ray() -> None:
    head = launch(CASES["data parallel ranks over nodes"][0]).processes[0]
    assert ("VLLM_RAY_DP_PACK_STRATEGY", (("span",))) in [(each.name, each.value) for each in head.env]


def test_hosts_offer_what_the_plan_uses() -> None:
    hardware = {"gpu": "h200", "nodes": 2, "gpus_per_node": 4}
    head, worker = launch({"hardware": hardware, "parallel": {"tp": 8}, **VLLM}).processes
    assert head.ray is not None
    assert shown(head.ray.argv) == HEAD.replace("--num-gpus 8", "--num-gpus 4")
    assert shown(worker.argv) == WORKER.replace("--num-gpus 8", "--num-gpus 4")


def test_addresses_and_port_of_the_cluster_file() -> None:
    nodes = [{"address": "fd00::1"}, {"address": "fd00::2"}]
    made = launch(CASES["tensor and pipeline"][0], {"nodes": nodes, "ports": {"ray": 7000}})
    head, worker = made.processes
    assert head.ray is not None
    assert shown((head.ray.address,)) == "[fd00::1]:7000"
    assert shown(worker.argv).startswith("ray start --address [fd00::1]:7000 --node-ip-address fd00::2 ")
    uses = [(use.ports, use.path) for use in ports_of(head, made)]
    assert (range(7000, 7001), ("cluster", "ports", "ray")) in uses


def test_a_name_is_left_for_ray_to_resolve() -> None:
    nodes = [{"address": "gpu-a"}, {"address": "gpu-b"}]
    head, worker = launch(CASES["tensor and pipeline"][0], {"nodes": nodes}).processes
    assert head.ray is not None
    assert shown(worker.argv) == "ray start --address gpu-a:6379 --num-gpus 8 --block"
    assert "VLLM_HOST_IP" not in {each.name for each in (*head.env, *worker.env)}


def test_commands_stand_in_their_order() -> None:
    head = launch(CASES["tensor and pipeline"][0]).processes[0]
    first, second = command_text(head).splitlines()
    assert (first.split()[:3], second.split()[:2]) == (["ray", "start", "--head"], ["vllm", "serve"])
    assert [line.strip() for line in command_text(head, wrap=True).splitlines()][:2] == [
        "ray start \\",
        "--head \\",
    ]


def test_one_node_starts_ray_by_itself() -> None:
    hardware = {"gpu": "h200", "gpus_per_node": 8}
    (only,) = launch({"hardware": hardware, "parallel": {"tp": 8}, **VLLM}).processes
    assert only.ray is None
