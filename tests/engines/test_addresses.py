"""IPv6 addresses stand bare for themselves and in brackets before a port."""

from __future__ import annotations

from typing import Any

import pytest

from launchplan.engines import Launch, Value, build_launch
from launchplan.layout import place
from launchplan.recipe import load_cluster, load_recipe
from launchplan.resolve import resolve


def shown(value: Value) -> str:
    return "".join(part if isinstance(part, str) else f"${part.variable}" for part in value)


def launch_of(engine: str, address: str, **sections: Any) -> Launch:
    recipe = {"launchplan": 1, "name": "c", "model": "Qwen/Qwen3-32B", "engine": {"name": engine}, **sections}
    nodes = [{"address": address}, {"address": "fd00::2"}]
    cluster = {"launchplan": 1, "name": "c", "nodes": nodes, "network": {"interface": "eth0"}}
    layout = place(resolve(load_recipe(recipe), load_cluster(cluster)))
    assert layout is not None
    return build_launch(layout)


@pytest.mark.parametrize("address", ["fd00::1", "[fd00::1]"])
def test_rendezvous(address: str) -> None:
    hardware = {"gpu": "h100", "nodes": 2}
    vllm = launch_of("vllm", address, hardware=hardware, parallel={"tp": 16}).processes[1]
    sglang = launch_of("sglang", address, hardware=hardware, parallel={"tp": 16}).processes[1]
    values = {flag.name: shown(flag.values[0]) for flag in (*vllm.flags, *sglang.flags) if flag.values}
    assert values["--master-addr"] == "fd00::1"
    assert values["--dist-init-addr"] == "[fd00::1]:20000"
    assert [shown(v.value) for v in vllm.env if v.name == "VLLM_HOST_IP"] == ["fd00::2"]


def test_router_urls() -> None:
    pools = {"prefill": {"parallel": {"tp": 8}}, "decode": {"parallel": {"tp": 8}}}
    router = launch_of("vllm", "fd00::1", hardware={"gpu": "h100"}, pools=pools).processes[-1]
    assert [shown(flag.values[0]) for flag in router.flags if flag.name in {"--prefill", "--decode"}] == [
        "http://[fd00::1]:8000",
        "http://[fd00::2]:8000",
    ]
