"""The cluster presets: each stands on GPUs and fabrics of this catalog."""

from __future__ import annotations

from collections import Counter

import pytest

from launchplan.catalog.clusters import ClusterPreset
from launchplan.catalog.fabrics import FabricVariable
from launchplan.catalog.load import (
    DATA,
    cluster_preset,
    cluster_presets,
    fabric,
    gpu,
    name_key,
    nearest_cluster_preset,
)


def test_every_file_loads_under_its_own_name() -> None:
    ids = sorted(path.stem for path in (DATA / "clusters").glob("*.yaml"))
    assert ids
    assert [each.id for each in cluster_presets()] == ids


def test_no_name_stands_for_two_presets() -> None:
    names = Counter(name_key(name) for each in cluster_presets() for name in (each.id, *each.aliases))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("each", cluster_presets(), ids=lambda each: each.id)
def test_a_preset_stands_on_known_things(each: ClusterPreset) -> None:
    accelerator, network = gpu(each.gpu), fabric(each.fabric)
    assert accelerator is not None
    assert accelerator.id == each.gpu
    assert network is not None
    assert network.id == each.fabric
    assert each.scale_out_fabric is None or fabric(each.scale_out_fabric) is not None
    assert each.scale_up_domain_gpus <= accelerator.scale_up_domain_gpus
    assert accelerator.gpus_per_node is None or each.gpus_per_node <= accelerator.gpus_per_node
    assert each.instance is None or each.aliases == (each.instance,)
    assert {name.partition(".")[0] for name in each.unconfirmed} <= set(ClusterPreset.model_fields)


@pytest.mark.parametrize("each", cluster_presets(), ids=lambda each: each.id)
def test_an_nvlink_domain_holds_whole_nodes(each: ClusterPreset) -> None:
    if each.fabric == "mnnvl-nvl72":
        assert each.nodes_per_domain is not None
        assert each.nodes_per_domain * each.gpus_per_node == each.scale_up_domain_gpus == 72
        assert each.scale_out_fabric is not None
    else:
        assert each.nodes_per_domain is None
        assert each.scale_out_fabric is None
        assert each.scale_up_domain_gpus <= each.gpus_per_node


@pytest.mark.parametrize("each", cluster_presets(), ids=lambda each: each.id)
def test_a_device_list_is_spelled_out(each: ClusterPreset) -> None:
    for variable in each.env:
        if variable.name == "NCCL_IB_HCA" and variable.value is not None:
            devices = variable.value.removeprefix("=").split(",")
            assert all(device.startswith("mlx5_") and device[5:].isdigit() for device in devices)
            assert each.nic == f"{len(set(devices))} HCAs"


def test_two_presets_whole() -> None:
    assert cluster_preset("b300-hgx8") == ClusterPreset(
        id="b300-hgx8",
        provider="any",
        name="HGX/DGX B300",
        gpu="b300",
        gpus_per_node=8,
        scale_up_domain_gpus=8,
        fabric="ib",
        nic="8 x 800G CX-8",
        network_gbit=6400,
        source="InferenceX-app 39a99115 gpu-specs.ts; MLPerf system descriptions",
        checked="2026-11-29",
    )
    assert cluster_preset("bm.gpu.gb300.4") == ClusterPreset(
        id="oci-BM.GPU.GB300.4",
        provider="oci",
        name="Oracle Cloud BM.GPU.GB300.4 (4 x GB300)",
        aliases=("BM.GPU.GB300.4",),
        instance="BM.GPU.GB300.4",
        gpu="gb300",
        gpus_per_node=4,
        nodes_per_domain=18,
        scale_up_domain_gpus=72,
        fabric="mnnvl-nvl72",
        scale_out_fabric="oci-roce",
        nic="8 HCAs",
        env=(
            FabricVariable(
                name="NCCL_IB_HCA",
                value="=mlx5_0,mlx5_1,mlx5_2,mlx5_3,mlx5_5,mlx5_6,mlx5_7,mlx5_8",
                required=True,
            ),
            FabricVariable(name="NCCL_IB_GID_INDEX", value="3", required=True),
            FabricVariable(name="NCCL_IB_TC", value="41", required=True),
            FabricVariable(name="NCCL_DMABUF_ENABLE", value="1", required=True),
        ),
        source="oracle-quickstart/oci-hpc-oke 61d210ac docs/recommended-nccl-rccl-parameters-by-shape.md; "
        "its NCCL and RCCL test manifests",
        checked="2026-11-29",
    )


# name: GPU, a node, fabric, Gbit/s
NODES = {
    "p5.48xlarge": ("h100-sxm", 8, "aws-efa", 3200),
    "aws-p6-b300.48xlarge": ("b300", 8, "aws-efa", 6400),
    "Standard_ND96isr_H200_v5": ("h200", 8, "azure-ib", 3200),
    "a3-megagpu-8g": ("h100-sxm", 8, "gcp-tcpxo", 1800),
    "gb300-nvl72": ("gb300", 4, "mnnvl-nvl72", 3200),
    "mi355x-oam8": ("mi355x", 8, "amd-roce", 3200),
    "coreweave-b200": ("b200", 8, "coreweave-ib", None),
}


@pytest.mark.parametrize("name", NODES)
def test_nodes_that_people_rent(name: str) -> None:
    each = cluster_preset(name)
    assert each is not None
    assert (each.gpu, each.gpus_per_node, each.fabric, each.network_gbit) == NODES[name]


def test_nearest() -> None:
    assert cluster_preset("p5.48xlarg") is None
    assert nearest_cluster_preset("p5.48xlarg") == "aws-p5.48xlarge"
    assert nearest_cluster_preset("?") is None
