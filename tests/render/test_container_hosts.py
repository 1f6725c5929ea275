"""Containers on every kind of GPU, alone and in groups, with both engines."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from launchplan import catalog
from launchplan.engines import Launch
from launchplan.render import render_bundle
from tests.render.api_server import complaints
from tests.render.kit import make_launch
from tests.render.kubelet import manifests

GPUS = tuple(gpu.id for gpu in catalog.gpus())


def launch_on(gpu: str, engine: str, nodes: int, **more: Any) -> Launch:
    facts = catalog.gpu(gpu)
    assert facts is not None
    each = facts.gpus_per_node or 1
    version = {"vllm": "0.33.0", "sglang": "0.5.23"}[engine]
    return make_launch(
        {
            "launchplan": 1,
            "name": f"{gpu}-{engine}",
            "model": "nobody/knows",
            "engine": {"name": engine, "version": version},
            "hardware": {"gpu": gpu, "nodes": nodes, "gpus_per_node": each},
            "parallel": {"tp": each * nodes},
            **more,
        }
    )


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
@pytest.mark.parametrize("gpu", GPUS)
def test_every_gpu(gpu: str, engine: str) -> None:
    facts = catalog.gpu(gpu)
    assert facts is not None
    for nodes in (1, 2, 3):
        launch = launch_on(gpu, engine, nodes)
        bundle = render_bundle(launch, (), ("docker", "compose", "kubernetes"), None)
        documents = manifests(bundle)
        assert complaints(documents) == []
        kinds = {each["kind"] for each in documents}
        assert ("LeaderWorkerSet" in kinds) == (nodes > 1)
        shares = facts.gpus_per_node is not None and facts.scale_up_domain_gpus > facts.gpus_per_node
        assert ("ComputeDomain" in kinds) == (nodes > 1 and shares)
        service = yaml.safe_load(bundle.files["compose/node-0/docker-compose.yaml"])["services"]["node-0"]
        assert ("deploy" in service) == (facts.vendor == "nvidia")
        assert ("/dev/kfd" in service.get("devices", [])) == (facts.vendor == "amd")


def test_a_server_on_a_socket_has_no_service() -> None:
    launch = launch_on("h200", "vllm", 1, args={"uds": "/run/vllm.sock"})
    bundle = render_bundle(launch, (), ("kubernetes", "compose"), None)
    (deployment,) = manifests(bundle)
    assert complaints([deployment]) == []
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    assert not {"ports", "startupProbe", "readinessProbe", "livenessProbe"} & set(container)
    assert b"healthcheck" not in bundle.files["compose/node-0/docker-compose.yaml"]


def test_tls_is_asked_over_tls() -> None:
    launch = launch_on("h200", "vllm", 1, args={"ssl-certfile": "/c.pem", "ssl-keyfile": "/k.pem"})
    (deployment, _) = manifests(render_bundle(launch, (), ("kubernetes",), None))
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    assert container["readinessProbe"]["httpGet"]["scheme"] == "HTTPS"
    assert container["startupProbe"]["exec"]["command"][3].startswith("https://127.0.0.1:8000/")
