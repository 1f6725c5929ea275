"""The rendered units: systemd takes every one, and hands a process exactly its command and environment."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from launchplan.engines import Launch
from launchplan.render import render_bundle
from tests.executors.programs import install, put
from tests.executors.slurm.cluster import wait_for
from tests.hosts import demand
from tests.render.kit import CASES, case_bundle, fill, make_launch

MODEL = Path(__file__).parents[2] / "render" / "recipes" / "models" / "dense.json"
MANAGER = """
mount -t tmpfs tmpfs /run/systemd && mkdir -p /run/systemd/system
exec /lib/systemd/systemd --user --log-target=console --unit=bundle.target
"""
HOSTILE = (
    "", " ", "$HOME", "${HOME}", "$$", "%h", "%%", "a b", "'", '"', "\\", "\\n", "\n", "a\tb", "é€", ";", "#", "-x",
    "`id`", "*", "~", "{}", "a=b", "\x01\x7f", "@/bin/sh", "$", "a\\", "\\\"'", "!", "$(id)", "a$b ${c} $$d", "|&<>",
)  # fmt: skip
"""Texts in which systemd, or a shell that should not be there, could find something to do."""


@pytest.mark.parametrize("case", CASES)
def test_systemd_takes_every_unit(case: str, tmp_path: Path) -> None:
    demand("systemd-analyze")
    put(case_bundle(case), tmp_path)
    units = sorted(tmp_path.glob("systemd/*.service"))
    assert units
    done = subprocess.run(
        ["systemd-analyze", "verify", "--recursive-errors=yes", *units],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


class Manager:
    """systemd for one user, in a mount namespace of its own."""

    def __init__(self, root: Path) -> None:
        self.units = root / "units"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(root),
            "XDG_RUNTIME_DIR": str(root / "run"),
            "XDG_CONFIG_HOME": str(root / "config"),
            "XDG_DATA_HOME": str(root / "data"),
            "XDG_CACHE_HOME": str(root / "cache"),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={root}/none",
            "SYSTEMD_UNIT_PATH": f"{self.units}:/usr/lib/systemd/user",
        }
        self.units.mkdir()
        (root / "run").mkdir(mode=0o700)
        (self.units / "bundle.target").write_text("[Unit]\nDescription=a test\n")
        self.log = (root / "log").open("w")

    def __enter__(self) -> Self:
        command = ["unshare", "--mount", "--propagation", "private", "bash", "-c", MANAGER]
        self.process = subprocess.Popen(command, env=self.env, stdout=self.log, stderr=self.log)
        wait_for(lambda: self.ctl("is-active", "bundle.target") == "active", 30, "systemd")
        return self

    def __exit__(self, *_: object) -> None:
        self.ctl("exit")
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()

    def ctl(self, *words: str) -> str:
        done = subprocess.run(
            ["systemctl", "--user", *words], env=self.env, capture_output=True, text=True, check=False
        )
        return done.stdout.strip() or done.stderr.strip()

    def show(self, unit: str, name: str) -> str:
        return self.ctl("show", "--value", f"--property={name}", unit)


class Service:
    """The units of a recipe, ready to be started by a manager."""

    def __init__(self, root: Path, **more: object) -> None:
        self.root = root
        self.port = free_port()
        recipe = {
            "launchplan": 1,
            "name": "ci",
            "model": str(MODEL),
            "checkpoint": "acme/model",
            "engine": {"name": "vllm"},
            "hardware": {"gpu": "h200", "gpus_per_node": 8, "fabric": "ethernet"},
            "parallel": {"tp": 8},
            "serve": {"port": self.port},
            **more,
        }
        cluster = {"launchplan": 1, "name": "ci", "systemd": {"folder": str(root / "bundle")}}
        self.launch: Launch = make_launch(recipe, cluster)
        put(render_bundle(self.launch, (), ("systemd",), None), root / "bundle")
        self.records = root / "records"
        self.records.mkdir()
        programs = install(root / "programs")
        self.site = {each.variable: f"{each.variable} $x 'y' %z" for each in self.launch.sites()}
        self.site |= {"NODE_IFNAME": "lo", "HEAD_ADDR": "127.0.0.1", "NODE_ADDR": "127.0.0.1"}
        given = {
            "PATH": f"{programs}:/usr/bin:/bin:/usr/sbin:/sbin",
            "ENGINE_RECORDS": str(self.records),
            "ENGINE_VERSION": "0.33.0",
        }
        self.site["LOCAL_CACHE"] = str(root / "cache" / "launchplan" / "ci")
        demanded = {each.variable: self.site[each.variable] for each in self.launch.sites()}
        demanded.pop("LOCAL_CACHE", None)
        lines = [
            f'{name}="{value.replace("$", chr(92) + "$")}"\n' for name, value in (given | demanded).items()
        ]
        (root / "site.env").write_text("".join(lines))

    def install(self, manager: Manager) -> None:
        for path in (self.root / "bundle" / "systemd").glob("*.service"):
            text = path.read_text().replace("/etc/launchplan/ci.env", str(self.root / "site.env"))
            text = text.replace("RestartSec=15", "RestartSec=1")
            text = text.replace("=journal", f"=append:{self.root}/journal")
            (manager.units / path.name).write_text(text)
        manager.ctl("daemon-reload")

    def seen(self) -> list[dict[str, Any]]:
        return [json.loads(path.read_text()) for path in sorted(self.records.glob("*.json"))]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    demand("systemctl", "unshare")
    with Manager(tmp_path) as made:
        yield made


def test_a_unit_gives_the_command_and_the_environment(manager: Manager, tmp_path: Path) -> None:
    hostile = {f"X{index}": text for index, text in enumerate(HOSTILE)}
    service = Service(
        tmp_path,
        env=hostile,
        args={
            "served-model-name": list(HOSTILE),
            "override-generation-config": hostile,
            "chat-template": "".join(HOSTILE),
        },
    )
    service.install(manager)
    assert manager.ctl("start", "ci-node-0") == "", (tmp_path / "log").read_text()
    assert manager.show("ci-node-0", "ActiveState") == "active"
    (process,) = service.launch.processes
    (record,) = service.seen()
    assert record["argv"] == [fill(word, service.site) for word in process.argv]
    for each in (*service.launch.env, *process.env):
        assert record["env"][each.name] == fill(each.value, service.site)
    assert manager.ctl("stop", "ci-node-0") == ""
    assert len([*service.records.glob("*.ended")]) == 1
    assert manager.show("ci-node-0", "Result") == "success"


def test_what_the_site_gives(manager: Manager, tmp_path: Path) -> None:
    hardware = {"gpu": "h200", "nodes": 2, "gpus_per_node": 8, "fabric": "ethernet"}
    service = Service(tmp_path, parallel={"tp": 16}, hardware=hardware)
    service.install(manager)
    assert manager.ctl("start", "ci-node-1") == "", (tmp_path / "log").read_text()
    assert manager.ctl("start", "ci-node-0") == "", (tmp_path / "log").read_text()
    wait_for(lambda: sum("up" in each for each in service.seen()) == 2, 30, "both")
    assert {tuple(each["argv"]) for each in service.seen()} == {
        tuple(fill(word, service.site) for word in process.argv) for process in service.launch.processes
    }
    for each in service.launch.processes[0].env:
        assert {record["env"][each.name] for record in service.seen()} == {fill(each.value, service.site)}
    assert (Path(service.site["LOCAL_CACHE"]) / "triton").is_dir()
    assert manager.show("ci-node-0", "Restart") == "no"


def test_ray_runs_inside_the_unit_of_its_server(manager: Manager, tmp_path: Path) -> None:
    service = Service(
        tmp_path,
        parallel={"tp": 16},
        hardware={"gpu": "h200", "nodes": 2, "gpus_per_node": 8, "fabric": "ethernet"},
        args={"distributed-executor-backend": "ray"},
    )
    service.install(manager)
    assert manager.ctl("start", "--no-block", "ci-node-0") == "", (tmp_path / "log").read_text()
    wait_for(lambda: len(service.seen()) == 1, 30, "Ray's head")
    assert service.seen()[0]["argv"][:3] == ["ray", "start", "--head"]
    assert manager.ctl("start", "ci-node-1") == "", (tmp_path / "log").read_text()
    wait_for(lambda: len(service.seen()) == 3, 30, "the worker and the server")
    head, worker = service.launch.processes
    given = {tuple(each["argv"]) for each in service.seen()}
    assert {tuple(fill(word, service.site) for word in each.argv) for each in (head, worker)} < given
    wait_for(lambda: manager.show("ci-node-0", "ActiveState") == "active", 30, "the server's health")
    assert manager.ctl("stop", "ci-node-0") == ""
    assert len([*service.records.glob("*.ended")]) == 1
    assert manager.show("ci-node-0", "Result") == "success"


def test_an_engine_that_dies_comes_back(manager: Manager, tmp_path: Path) -> None:
    service = Service(tmp_path)
    service.install(manager)
    manager.ctl("start", "ci-node-0")
    os.kill(int(manager.show("ci-node-0", "MainPID")), signal.SIGKILL)
    wait_for(lambda: len(service.seen()) == 2, 30, "a second start")
    wait_for(lambda: manager.show("ci-node-0", "ActiveState") == "active", 30, "a second start")
    assert manager.show("ci-node-0", "NRestarts") == "1"


def test_a_failed_check_keeps_the_engine_from_starting(manager: Manager, tmp_path: Path) -> None:
    service = Service(tmp_path)
    (tmp_path / "programs" / "nvidia-smi").write_text("#!/bin/sh\necho 'GPU 0: pretended'\n")
    service.install(manager)
    assert "failed" in manager.ctl("start", "ci-node-0")
    manager.ctl("stop", "ci-node-0")
    assert service.seen() == []
    assert "FAIL  1 GPUs, 8 needed" in (tmp_path / "journal").read_text()


def test_a_router_starts_when_its_backends_answer(manager: Manager, tmp_path: Path) -> None:
    pools = {
        "prefill": {"parallel": {"tp": 8}, "serve": {"port": free_port()}},
        "decode": {"parallel": {"tp": 8}, "serve": {"port": free_port()}},
    }
    env = {"VLLM_NIXL_SIDE_CHANNEL_PORT": "15600"}
    service = Service(tmp_path, parallel={}, serve={}, pools=pools, router={"port": free_port()}, env=env)
    text = (tmp_path / "site.env").read_text()
    (tmp_path / "site.env").write_text(text + "PREFILL_HEAD_ADDR=127.0.0.1\nDECODE_HEAD_ADDR=127.0.0.1\n")
    service.install(manager)
    manager.ctl("start", "--no-block", "ci-router")
    wait_for(lambda: manager.show("ci-router", "SubState") == "start-pre", 20, "the router")
    assert manager.ctl("start", "ci-prefill-0") == "", (tmp_path / "log").read_text()
    assert [each["argv"][0] for each in service.seen()] == ["vllm"]
    assert manager.ctl("start", "ci-decode-0") == "", (tmp_path / "log").read_text()
    wait_for(lambda: manager.show("ci-router", "ActiveState") == "active", 30, "the router")
    assert sorted(each["argv"][0] for each in service.seen()) == ["vllm", "vllm", "vllm-router"]
