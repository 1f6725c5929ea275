"""The fabric facts: every file, and the environment of the ones that plans use most."""

from __future__ import annotations

from collections import Counter

import pytest

from launchplan.catalog.fabrics import Fabric, FabricVariable
from launchplan.catalog.load import DATA, fabric, fabrics, name_key, nearest_fabric

# id: kind, RDMA or NVLink between nodes; of the first ones
KINDS = {
    "amd-roce": ("roce", True),
    "aws-efa": ("efa", True),
    "azure-ib": ("infiniband", True),
    "coreweave-ib": ("infiniband", True),
    "ethernet": ("ethernet", False),
    "ethernet-cx7-spark": ("roce", True),
    "gcp-gib": ("roce", True),
    "gcp-tcpx": ("tcpx", False),
    "gcp-tcpxo": ("tcpx", False),
    "ib": ("infiniband", True),
    "mnnvl-nvl72": ("mnnvl", True),
    "nvlink-intra-node": ("intra-node", False),
    "oci-roce": ("roce", True),
    "roce-generic": ("roce", True),
}


def test_every_file_loads_under_its_own_name() -> None:
    ids = sorted(path.stem for path in (DATA / "fabrics").glob("*.yaml"))
    assert [each.id for each in fabrics()] == ids
    assert {each.id: (each.kind, each.rdma) for each in fabrics() if each.id in KINDS} == KINDS


def test_no_name_stands_for_two_fabrics() -> None:
    names = Counter(name_key(name) for each in fabrics() for name in (each.id, *each.aliases))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("each", fabrics(), ids=lambda each: each.id)
def test_a_value_is_what_a_shell_would_export(each: Fabric) -> None:
    names = Counter(variable.name for variable in each.env)
    assert [name for name, count in names.items() if count > 1] == []
    for variable in each.env:
        assert variable.name.isupper()
        assert variable.value is None or not set(variable.value) & set(" ()<>|")
        assert variable.value is not None or variable.note, (
            f"{variable.name}: a site needs to know what to write"
        )
        assert not (variable.required and variable.purpose == "kv-transfer")
    assert {name.partition(".")[0] for name in each.unconfirmed} <= set(Fabric.model_fields)


def test_multi_node_nvlink_whole() -> None:
    each = fabric("nvl72")
    assert each is not None
    assert each.env == (
        FabricVariable(
            name="NCCL_MNNVL_ENABLE", value="1", required=True, note="one cloud guide sets 2, automatic"
        ),
        FabricVariable(name="NCCL_CUMEM_ENABLE", value="1", required=True),
        FabricVariable(name="NCCL_NVLS_ENABLE", value="1", note="some public launches set 0"),
        FabricVariable(name="NCCL_P2P_LEVEL", value="NVL"),
        FabricVariable(name="VLLM_USE_NCCL_SYMM_MEM", value="1"),
        FabricVariable(
            name="UCX_CUDA_IPC_ENABLE_MNNVL",
            value="y",
            purpose="kv-transfer",
            note="some public disaggregated launches set n",
        ),
        FabricVariable(name="MC_FORCE_MNNVL", value="1", purpose="kv-transfer", note="for Mooncake"),
    )


# what has to be set for the network itself: the value, or None where the site has to fill it in
REQUIRED = {
    "ib": {"NCCL_SOCKET_IFNAME": None},
    "azure-ib": {"NCCL_SOCKET_IFNAME": "eth0", "NCCL_TOPO_FILE": "/opt/microsoft/ndv5-topo.xml"},
    "coreweave-ib": {"NCCL_SOCKET_IFNAME": "eth0", "NCCL_IB_HCA": "ibp"},
    "aws-efa": {"FI_PROVIDER": "efa", "NCCL_SOCKET_IFNAME": "^lo,docker"},
    "oci-roce": {
        "NCCL_SOCKET_IFNAME": "eth0",
        "NCCL_IB_HCA": None,
        "NCCL_IB_GID_INDEX": "3",
        "NCCL_IB_TC": "41",
        "NCCL_IB_SL": "0",
        "NCCL_IB_TIMEOUT": "22",
    },
    "gcp-gib": {"NCCL_NET": "gIB", "LD_LIBRARY_PATH": "/usr/local/gib/lib64"},
    "roce-generic": {"NCCL_SOCKET_IFNAME": None, "NCCL_IB_HCA": None},
    "amd-roce": {"NCCL_SOCKET_IFNAME": None, "GLOO_SOCKET_IFNAME": None, "NCCL_IB_HCA": None},
    "ethernet": {"NCCL_SOCKET_IFNAME": None, "GLOO_SOCKET_IFNAME": None},
    "nvlink-intra-node": {},
}


@pytest.mark.parametrize("name", REQUIRED)
def test_required_variables(name: str) -> None:
    each = fabric(name)
    assert each is not None
    assert {variable.name: variable.value for variable in each.env if variable.required} == REQUIRED[name]


def test_a_search_path_goes_before_what_is_there() -> None:
    prepended = {(each.id, v.name) for each in fabrics() for v in each.env if v.prepend}
    assert prepended == {(name, "LD_LIBRARY_PATH") for name in ("aws-efa", "gcp-gib", "gcp-tcpx")}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("infiniband", "ib"),
        ("InfiniBand", "ib"),
        ("nvl72", "mnnvl-nvl72"),
        ("mnnvl", "mnnvl-nvl72"),
        ("roce", "roce-generic"),
        ("efa", "aws-efa"),
        ("nvlink", "nvlink-intra-node"),
        ("ethernet", "ethernet"),
        ("token-ring", None),
    ],
)
def test_names_that_people_type(name: str, found: str | None) -> None:
    each = fabric(name)
    assert (each and each.id) == found


@pytest.mark.parametrize(("name", "nearest"), [("infinband", "ib"), ("ethernett", "ethernet"), ("xyz", None)])
def test_nearest(name: str, nearest: str | None) -> None:
    assert nearest_fabric(name) == nearest
