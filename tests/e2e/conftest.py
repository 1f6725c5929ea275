"""The hosts and the folder that every deployment is rendered in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.e2e.kit import HERE, HOSTS, Site, installed
from tests.e2e.model import write_model
from tests.hosts import network


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    installed("vllm", "sglang", "router")
    folder = tmp_path_factory.mktemp("e2e")
    shutil.copytree(HERE / "recipes", folder, dirs_exist_ok=True)
    with network(HOSTS, routed=True):
        yield Site(folder, write_model(folder / "tiny"))
