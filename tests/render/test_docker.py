"""`docker run` gets the planned command, environment, devices and folders; a recorder stands in for docker."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from launchplan.engines import Launch, Process
from launchplan.engines.container import image_of
from launchplan.render import render_bundle
from launchplan.render.ray import in_container
from tests.render.kit import CASES, Host, Run, case_bundle, case_launch, fill, make_launch, site_of

BASE = {
    "launchplan": 1,
    "name": "d",
    "model": "nobody/knows",
    "engine": {"name": "vllm", "version": "0.33.0"},
    "hardware": {"gpu": "h200", "nodes": 1, "gpus_per_node": 8},
}
PAIRED = frozenset({"--detach", "--init"})


class DockerRun:
    """A `docker run` taken apart."""

    def __init__(self, argv: list[str]) -> None:
        program, command, *words = argv
        assert (program, command) == ("docker", "run")
        self.options: list[tuple[str, str]] = []
        while words and words[0].startswith("--"):
            name = words.pop(0)
            self.options.append((name, "" if name in PAIRED else words.pop(0)))
        self.image, *self.args = words

    def all(self, option: str) -> list[str]:
        return [value for name, value in self.options if name == option]

    @property
    def command(self) -> list[str]:
        return [*self.all("--entrypoint"), *self.args]

    @property
    def env(self) -> dict[str, str]:
        return dict(pair.partition("=")[::2] for pair in self.all("--env") if "=" in pair)


def site_for(launch: Launch, process: Process) -> dict[str, str]:
    image = image_of(launch, process).reference
    return site_of(launch) | ({"IMAGE": "mine/engine:1"} if image is None else {}) | {"HOME": "/home/me"}


def docker_runs(host: Host, launch: Launch) -> dict[str, tuple[DockerRun, dict[str, str]]]:
    host.record("docker")
    host.program("mkdir", f'#!/bin/bash\nprintf "%s\\n" "$@" >>"{host.root}/made"\n')
    found = {}
    for process in launch.processes:
        site = site_for(launch, process)
        run: Run = host.script(f"docker/{process.name}.sh", env=site)
        assert (run.code, run.stderr) == (0, "")
        found[process.name] = (DockerRun(run.argv), site)
    return found


@pytest.mark.parametrize("case", CASES)
def test_scripts_are_clean(case: str, tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.put(case_bundle(case))
    scripts = sorted(str(path) for path in host.bundle.glob("docker/*.sh"))
    shellcheck = Path(sys.executable).with_name("shellcheck")
    found = subprocess.run([shellcheck, *scripts], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "")
    for script in scripts:
        assert subprocess.run(["bash", "-n", script], capture_output=True, check=True).stderr == b""


@pytest.mark.parametrize("case", CASES)
def test_the_container_runs_the_planned_command(case: str, tmp_path: Path) -> None:
    host, launch = Host(tmp_path), case_launch(case)
    host.put(case_bundle(case))
    runs = docker_runs(host, launch)
    for process in launch.processes:
        run, site = runs[process.name]
        before = in_container(process.ray) if process.ray else ()
        assert run.command == [fill(word, site) for word in (*before, *process.argv)]
        assert run.env == {each.name: fill(each.value, site) for each in (*launch.env, *process.env)}
        assert run.image == (image_of(launch, process).reference or "mine/engine:1")
        assert ("HF_TOKEN" in run.all("--env")) == (process.role != "router")


@pytest.mark.parametrize("case", CASES)
def test_containers_reach_each_other_and_the_hosts_devices(case: str, tmp_path: Path) -> None:
    host, launch = Host(tmp_path), case_launch(case)
    host.put(case_bundle(case))
    for name, (run, _) in docker_runs(host, launch).items():
        assert run.all("--network") == ["host"]
        assert "--publish" not in [option for option, _ in run.options]
        if name == "router":
            assert run.all("--gpus") == run.all("--mount") == run.all("--ipc") == []
            continue
        assert run.all("--ipc") == ["host"]
        assert run.all("--ulimit") == ["memlock=-1", "stack=67108864", "nofile=1048576"]
        assert run.all("--cap-add")[0] == "IPC_LOCK"
        amd = case == "amd-node"
        assert run.all("--gpus") == ([] if amd else ["all"])
        assert [each for each in run.all("--device") if each in {"/dev/kfd", "/dev/dri"}] == (
            ["/dev/kfd", "/dev/dri"] if amd else []
        )


def one(tmp_path: Path, cluster: dict[str, object] | None = None, **more: object) -> tuple[DockerRun, Host]:
    launch = make_launch({**BASE, **more}, cluster)
    host = Host(tmp_path)
    host.put(render_bundle(launch, (), ("docker",), None))
    ((run, _),) = docker_runs(host, launch).values()
    return run, host


def test_some_gpus_of_a_host(tmp_path: Path) -> None:
    hardware = {"gpu": "h200", "nodes": 1, "gpus_per_node": 4}
    run, host = one(tmp_path, hardware=hardware, parallel={"tp": 4})
    assert run.all("--gpus") == ['"device=0,1,2,3"']
    again = host.script("docker/node-0.sh", env={"HOME": "/h", "GPU_DEVICES": "4,5,6,7"})
    assert DockerRun(again.argv).all("--gpus") == ['"device=4,5,6,7"']


def test_some_gpus_of_an_amd_host(tmp_path: Path) -> None:
    run, _ = one(tmp_path, hardware={"gpu": "mi355x", "nodes": 1, "gpus_per_node": 2}, parallel={"tp": 2})
    assert run.all("--env") == ["HIP_VISIBLE_DEVICES=0,1", "HF_TOKEN"]
    assert run.all("--security-opt") == ["seccomp=unconfined"]


def test_folders_of_the_host(tmp_path: Path) -> None:
    cluster = {
        "launchplan": 1,
        "name": "c",
        "paths": {"model": '/models/a,"b', "hub_cache": "/data/hub"},
        "container": {"mounts": ["/etc/topo.xml:/topo.xml:ro"]},
    }
    run, host = one(tmp_path, cluster)
    assert run.all("--mount") == [
        'type=bind,"source=/models/a,""b","target=/models/a,""b",readonly',
        "type=bind,source=/data/hub,target=/data/hub",
        "type=bind,source=/etc/topo.xml,target=/topo.xml,readonly",
    ]
    assert (host.root / "made").read_text().split() == ["-p", "--", "/data/hub"]


def test_the_hub_cache_is_that_of_the_user(tmp_path: Path) -> None:
    run, host = one(tmp_path)
    target = "target=/root/.cache/huggingface"
    assert run.all("--mount") == [f"type=bind,source=/home/me/.cache/huggingface,{target}"]
    again = host.script("docker/node-0.sh", env={"HF_HOME": "/big/hub", "HOME": "/h"})
    assert DockerRun(again.argv).all("--mount") == [f"type=bind,source=/big/hub,{target}"]


def test_search_paths_are_extended_inside_the_container(tmp_path: Path) -> None:
    """The image's own LD_LIBRARY_PATH stays behind the fabric's; the host's has no part in it."""
    hardware = {"gpu": "h200", "nodes": 2, "gpus_per_node": 8, "fabric": "gcp-gib"}
    launch = make_launch({**BASE, "hardware": hardware, "parallel": {"tp": 16}})
    host = Host(tmp_path)
    host.put(render_bundle(launch, (), ("docker",), None))
    run, site = docker_runs(host, launch)["node-0"]
    assert "LD_LIBRARY_PATH" not in run.env
    host.record("vllm")
    own = "/usr/local/gib/lib64"
    inside = host.run(*run.command, env={"LD_LIBRARY_PATH": "/image/lib"})
    assert inside.argv == [fill(word, site) for word in launch.processes[0].argv]
    assert inside.env["LD_LIBRARY_PATH"] == f"{own}:/image/lib"
    assert host.run(*run.command).env["LD_LIBRARY_PATH"] == own


def test_a_site_variable_that_is_missing_ends_the_script(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.put(case_bundle("two-nodes"))
    host.record("docker")
    run = host.script("docker/node-1.sh", env={"HOME": "/h", "NODE_IFNAME": "eth0"})
    assert run.code != 0
    assert "HEAD_ADDR: address of node 0, as the other hosts reach it" in run.stderr
    assert run.records == ()


def test_stop_ends_the_router_first_and_only_what_is_there(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.put(case_bundle("pools-vllm"))
    host.record("docker", then='sys.exit(1) if "pools-vllm-decode-1" in sys.argv else None')
    run = host.script("docker/stop.sh")
    assert run.code == 0
    calls = [record["argv"][1:] for record in run.records]
    stopped = [call[-1].removeprefix("pools-vllm-") for call in calls if call[0] == "stop"]
    assert stopped == ["router", "prefill-0", "prefill-1", "decode-0"]
    assert [call[-1] for call in calls if call[0] == "rm"] == [f"pools-vllm-{name}" for name in stopped]
    one = host.script("docker/stop.sh", "pools-vllm-router")
    assert [record["argv"][1:] for record in one.records] == [
        ["container", "inspect", "pools-vllm-router"],
        ["stop", "pools-vllm-router"],
        ["rm", "pools-vllm-router"],
    ]
