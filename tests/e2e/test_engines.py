"""Bundles of both engines start and serve, on one host and on two."""

from __future__ import annotations

import pytest

from tests.e2e.kit import FOLLOWER, HEAD, Site, deployed

ENGINES = ("vllm", "sglang")


@pytest.mark.parametrize("engine", ENGINES)
def test_one_node_serves(site: Site, engine: str) -> None:
    with deployed(site, "one-node", engine, {"node-0": HEAD}) as bundle:
        bundle.tool("smoke")
        bundle.stop("node-0")


@pytest.mark.parametrize("engine", ENGINES)
def test_head_and_follower_serve_as_one(site: Site, engine: str) -> None:
    with deployed(site, "two-nodes", engine, {"node-0": HEAD, "node-1": FOLLOWER}) as bundle:
        bundle.tool("smoke")
        bundle.stop("node-0", "node-1")


def test_data_parallel_ranks_serve_behind_one_head(site: Site) -> None:
    with deployed(site, "data-parallel", "vllm", {"node-0": HEAD, "node-1": FOLLOWER}) as bundle:
        for _ in range(4):
            bundle.tool("smoke")
        answered = bundle.metric(HEAD, "vllm:request_success_total", "engine")
        assert set(answered) == {"0", "1"}
        assert min(answered.values()) > 0
        bundle.stop("node-0", "node-1")
