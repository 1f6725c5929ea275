"""What recipe, cluster file and environment say of the network between the nodes."""

from __future__ import annotations

from typing import Any

import pytest

from launchplan import api


def told(recipe: dict[str, Any], cluster: dict[str, Any], *codes: str) -> list[str]:
    base = {
        "launchplan": 1,
        "name": "case",
        "engine": {"name": "vllm", "version": "0.33.0"},
        "hardware": {"gpu": "h200", "nodes": 2, "gpus_per_node": 8},
    }
    site = {"launchplan": 1, "name": "site", **cluster}
    report = api.check(base | recipe, cluster=site)
    return [each.message for each in report.findings if each.code in codes]


EXPERTS = {"model": "deepseek-ai/DeepSeek-R1", "parallel": {"tp": 8, "dp": 2, "ep": 16}}
TENSOR = {"model": "meta-llama/Llama-3.1-70B", "parallel": {"tp": 16}}
HARDWARE = {"gpu": "h200", "nodes": 2, "gpus_per_node": 8}
SAID: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"hardware": {**HARDWARE, "fabric": "roce"}}, {}, "roce-generic"),
    ({"hardware": {**HARDWARE, "fabric": "our own"}}, {}, "our own"),
    ({}, {"network": {"fabric": "infiniband"}}, "ib"),
    ({}, {"network": {"hcas": ["mlx5_0", "mlx5_1"]}}, "RDMA (mlx5_0)"),
    ({}, {"kubernetes": {"rdma_resource": "rdma/ib"}}, "RDMA (rdma/ib)"),
    ({"env": {"NCCL_IB_HCA": "mlx5"}}, {}, "RDMA (NCCL_IB_HCA)"),
    ({}, {"env": {"NCCL_IB_GID_INDEX": "3"}}, "RDMA (NCCL_IB_GID_INDEX)"),
]
SILENT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({}, {"network": {"interface": "eth0"}}),
    ({"env": {"NCCL_IB_HCA": "mlx5", "NCCL_IB_DISABLE": "1"}}, {}),
]


@pytest.mark.parametrize(("recipe", "cluster", "said"), SAID)
def test_a_network_that_is_said(recipe: dict[str, Any], cluster: dict[str, Any], said: str) -> None:
    assert told(EXPERTS | recipe, cluster, "NET101", "NET106") == []
    assert told(TENSOR | recipe, cluster, "NET102") == [
        f"tp 16 reaches across 2 nodes over {said}: each layer waits for it"
    ]


@pytest.mark.parametrize(("recipe", "cluster"), SILENT)
def test_a_network_that_nobody_speaks_of(recipe: dict[str, Any], cluster: dict[str, Any]) -> None:
    assert told(EXPERTS | recipe, cluster, "NET101", "NET106") == [
        "experts are shared by 2 nodes over an unknown network: this needs RDMA or NVLink"
    ]
    assert told(TENSOR | recipe, cluster, "NET102") == [
        "tp 16 reaches across 2 nodes: each layer waits for their network"
    ]
