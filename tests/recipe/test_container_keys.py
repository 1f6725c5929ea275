"""What Docker and Kubernetes would refuse is refused where it is written, with its cure."""

from __future__ import annotations

import pytest

from launchplan.errors import InputError
from launchplan.recipe import load_cluster

LABELS = "labels have up to 63 letters, digits, '-', '_' and '.', and a name may begin with a domain and /"
NAMES = "use lower-case letters, digits, '-' and '.'"
FILE = """\
launchplan: 1
name: c
container: {image: "a b", router_image: "x,y", mounts: ["data:/data", "/a:/b:ro", "/a:/b"]}
kubernetes:
  namespace: My_NS
  api: knative
  gateway: Gw
  gpu_resource: gpu
  rdma_resource: rdma
  rdma_per_pod: 0
  model_claim: "Big Claim"
  model_claim_path: models
  token_secret: hf_token
  node_selector: {"a b": x, ok: "no spaces", node.example/pool: h200}
  topology_key: "/x"
"""


def test_each_value_has_its_place_and_cure() -> None:
    with pytest.raises(InputError) as caught:
        load_cluster(FILE)
    assert [(each.key, each.fix) for each in caught.value.findings] == [
        ("container.image", "write name:tag or name@digest, without blanks"),
        ("container.router_image", "write name:tag or name@digest, without blanks"),
        ("container.mounts[0]", "write /host:/container, or /host:/container:ro"),
        ("kubernetes.namespace", "use lower-case letters, digits and '-'"),
        ("kubernetes.api", None),
        ("kubernetes.gateway", NAMES),
        ("kubernetes.gpu_resource", "write domain/name, such as nvidia.com/gpu"),
        ("kubernetes.rdma_resource", "write domain/name, such as rdma/ib"),
        ("kubernetes.rdma_per_pod", None),
        ("kubernetes.model_claim", NAMES),
        ("kubernetes.model_claim_path", "write an absolute path, which begins with /"),
        ("kubernetes.token_secret", NAMES),
        ("kubernetes.node_selector.a b", LABELS),
        ("kubernetes.node_selector.ok", LABELS),
        ("kubernetes.topology_key", "write the name of a node label, such as nvidia.com/gpu.clique"),
    ]
