"""Rendered jobs run by a real Slurm: what each process is given, how they meet, and how they end."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from launchplan.engines import Launch, Site
from launchplan.engines.container import image_of
from launchplan.render import render_bundle
from tests.executors.programs import install, put
from tests.executors.slurm.cluster import ADDRESSES, SlurmCluster, wait_for
from tests.hosts import demand
from tests.render.kit import fill, make_launch

MODEL = Path(__file__).parents[2] / "render" / "recipes" / "models"
PYXIS = Path(__file__).parent / "pyxis.c"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmCluster]:
    demand("slurmctld", "slurmd", "munged", "ip", "unshare")
    root = tmp_path_factory.mktemp("slurm")
    with SlurmCluster(root, plugins=pyxis(root)) as made:
        yield made


def pyxis(root: Path) -> str:
    """Compile a plugin that knows Pyxis's options, where there is a compiler and Slurm's headers."""
    if shutil.which("gcc") is None or not Path("/usr/include/slurm/spank.h").exists():
        return ""
    library = root / "pyxis.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(library), str(PYXIS)], check=True)
    return f"required {library}\n"


def recipe(name: str, engine: str, model: str = "dense", **more: object) -> dict[str, object]:
    return {
        "launchplan": 1,
        "name": name,
        "model": str(MODEL / f"{model}.json"),
        "checkpoint": "acme/model",
        "engine": {"name": engine},
        "hardware": {"gpu": "h200", "nodes": 2, "gpus_per_node": 8, "fabric": "ethernet"},
        **more,
    }


def pools(engine: str, transfer: str) -> dict[str, object]:
    pair = {
        "prefill": {"parallel": {"tp": 4}, "hardware": {"gpus_per_node": 4}},
        "decode": {"parallel": {"tp": 8}},
    }
    whole = recipe(
        f"pools-{engine}", engine, pools=pair, router={"port": 9000}, transfer={"backend": transfer}
    )
    return {**whole, "hardware": {"gpu": "h200", "nodes": 1, "gpus_per_node": 8, "fabric": "ethernet"}}


CASES: dict[str, dict[str, object]] = {
    "one-node": recipe("one-node", "vllm", hardware={"gpu": "h200", "gpus_per_node": 2}, parallel={"tp": 2},
                       args={"override-generation-config": {"a b": "$x 'y' \"z\" \\"}}, env={"X": "$HOME `id` \\ 'é'\n%"}),
    "vllm-two-nodes": recipe("vllm-two-nodes", "vllm", parallel={"tp": 16}),
    "sglang-two-nodes": recipe("sglang-two-nodes", "sglang", parallel={"tp": 16}),
    "data-parallel": recipe("data-parallel", "vllm", "experts", parallel={"dp": 16, "ep": 16}),
    "hybrid": recipe("hybrid", "vllm", "experts", parallel={"dp": 16, "ep": 16, "load_balancing": "hybrid"}),
    "external": recipe(
        "external", "vllm", "experts", parallel={"tp": 8, "dp": 2, "ep": 16, "load_balancing": "external"}
    ),
    "pools-vllm": pools("vllm", "nixl"),
    "pools-sglang": pools("sglang", "mooncake"),
}  # fmt: skip


class Job:
    """A rendered job, submitted, and what its processes recorded."""

    def __init__(
        self,
        cluster: SlurmCluster,
        root: Path,
        data: dict[str, object],
        site: Mapping[str, Any] | None = None,
    ) -> None:
        self.cluster = cluster
        self.root = root
        whole = {"launchplan": 1, "name": "ci", **(site or {})}
        self.launch: Launch = make_launch(data, whole)
        bundle = render_bundle(self.launch, (), ("slurm",), None)
        put(bundle, root / "a bundle")
        self.records = root / "records"
        self.records.mkdir()
        programs = install(root / "programs")
        self.env = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(root),
            "ENGINE_RECORDS": str(self.records),
            "ENGINE_VERSION": self.launch.layout.resolved.deployment.version,
            "LOCAL_CACHE": str(root / "caches"),
        }

    def submit(self, **env: str) -> str:
        script = self.root / "a bundle" / "slurm" / "launch.sbatch"
        self.number = self.cluster.submit(script, self.env | env, self.root)
        return self.number

    def wait_up(self) -> list[dict[str, Any]]:
        """Wait until every process runs and met the others."""
        try:
            wait_for(
                lambda: sum("up" in each for each in self.seen()) == len(self.launch.processes), 60, "engines"
            )
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.said()}") from None
        return self.seen()

    def seen(self) -> list[dict[str, Any]]:
        return [json.loads(path.read_text()) for path in sorted(self.records.glob("*.json"))]

    def ended(self) -> int:
        return len([*self.records.glob("*.ended")])

    def said(self) -> str:
        files = (*self.root.glob("slurm-*.out"), *self.root.glob("logs/*/*.log"))
        return "\n".join(f"--- {path.name}\n{path.read_text()}" for path in files)

    def site(self, host: str) -> dict[str, str]:
        """Give the site variables that a process on a host is to have."""
        values = {"LOCAL_CACHE": self.env["LOCAL_CACHE"], "NODE_ADDR": ADDRESSES[host], "NODE_IFNAME": "eth0"}
        return values | {
            part.variable: ADDRESSES[("n1", "n2")[process.host]]
            for process in self.launch.processes
            for part in process.address
            if isinstance(part, Site) and part.variable != "NODE_ADDR"
        }


@pytest.fixture
def job_root(cluster: SlurmCluster, tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    cluster.run("scancel", "--me", check=False)
    wait_for(lambda: not cluster.run("squeue", "-h"), 60, "an empty queue")


@pytest.mark.parametrize("case", CASES)
def test_each_process_gets_its_command_and_environment(
    case: str, cluster: SlurmCluster, job_root: Path
) -> None:
    job = Job(cluster, job_root, CASES[case])
    number = job.submit()
    seen = {tuple(each["argv"]): each for each in job.wait_up()}
    hosts = ("n1", "n2")
    for process in job.launch.processes:
        site = job.site(hosts[process.host])
        argv = tuple(fill(word, site) for word in process.argv)
        record = seen.pop(argv)
        assert record["host"] == hosts[process.host]
        for each in (*job.launch.env, *process.env):
            assert record["env"][each.name] == fill(each.value, site), each.name
        if process.gpus:
            assert len(record["env"]["CUDA_VISIBLE_DEVICES"].split(",")) == process.gpus
        if len({each.host for each in job.launch.processes}) > 1 and len(job.launch.layout.pools) == 1:
            assert record["met"] == [hosts[1 - process.host]]
    assert not seen
    assert {path.stem for path in job.root.glob(f"logs/{case}-{number}/*.log")} == {
        process.name for process in job.launch.processes
    }
    cluster.run("scancel", "--signal=TERM", "--batch", number)
    assert cluster.wait_state(number, "COMPLETED", "FAILED", "CANCELLED") == "COMPLETED 0:0", job.said()
    assert job.ended() == len(job.launch.processes)


def test_ray_places_the_ranks_and_ends_with_the_server(cluster: SlurmCluster, job_root: Path) -> None:
    data = recipe("ray", "vllm", parallel={"tp": 16}, args={"distributed-executor-backend": "ray"})
    job = Job(cluster, job_root, data)
    number = job.submit()
    wait_for(lambda: len(job.seen()) == 3, 60, "Ray's head, its worker and the server")
    seen = {(each["argv"][0], each["host"]): each for each in job.seen()}
    head, worker = job.launch.processes
    site, other = job.site("n1"), job.site("n2")
    assert head.ray is not None
    assert seen["ray", "n1"]["argv"] == [*(fill(word, site) for word in head.ray.argv), "--block"]
    assert seen["ray", "n2"]["argv"] == [fill(word, other) for word in worker.argv]
    assert seen["vllm", "n1"]["argv"] == [fill(word, site) for word in head.argv]
    assert seen["vllm", "n1"]["env"]["RAY_ADDRESS"] == "10.77.0.11:6379"
    assert [each["env"]["VLLM_HOST_IP"] for each in (seen["ray", "n1"], seen["ray", "n2"])] == [
        "10.77.0.11", "10.77.0.12",
    ]  # fmt: skip
    cluster.run("scancel", "--signal=TERM", "--batch", number)
    assert cluster.wait_state(number, "COMPLETED", "FAILED", "CANCELLED") == "COMPLETED 0:0", job.said()
    assert job.ended() == 1
    wait_for(lambda: not alive(job), 30, "Ray to end")


def test_a_server_that_fails_under_ray_ends_the_job_with_its_code(
    cluster: SlurmCluster, job_root: Path
) -> None:
    data = recipe("ray", "vllm", parallel={"tp": 16}, args={"distributed-executor-backend": "ray"})
    job = Job(cluster, job_root, data)
    number = job.submit(ENGINE_FAILS="n1")
    assert cluster.wait_state(number, "FAILED", "COMPLETED", "CANCELLED") == "FAILED 7:0", job.said()
    wait_for(lambda: not alive(job), 30, "Ray to end")


def test_a_host_that_fails_ends_the_job(cluster: SlurmCluster, job_root: Path) -> None:
    job = Job(cluster, job_root, CASES["vllm-two-nodes"])
    number = job.submit(ENGINE_FAILS="n2")
    assert cluster.wait_state(number, "FAILED", "COMPLETED", "CANCELLED") == "FAILED 7:0", job.said()
    assert job.ended() == 1
    assert "node-1 ended with code 7; see " in job.said()


def test_a_head_that_ends_takes_its_follower_along(cluster: SlurmCluster, job_root: Path) -> None:
    job = Job(cluster, job_root, CASES["vllm-two-nodes"])
    number = job.submit()
    head = next(each for each in job.wait_up() if each["host"] == "n1")
    place = next(path for path in job.records.glob("n1-*.json"))
    assert head["up"]
    os.kill(int(place.stem.partition("-")[2]), 15)
    wait_for(lambda: job.ended() == 2, 30, "both engines to end")
    cluster.wait_state(number, "COMPLETED")


def test_a_cancelled_job_leaves_nothing(cluster: SlurmCluster, job_root: Path) -> None:
    job = Job(cluster, job_root, CASES["pools-vllm"])
    number = job.submit()
    job.wait_up()
    cluster.run("scancel", number)
    assert cluster.wait_state(number, "CANCELLED").startswith("CANCELLED")
    wait_for(lambda: not alive(job), 30, "all processes to end")


def alive(job: Job) -> list[int]:
    numbers = [int(path.stem.partition("-")[2]) for path in job.records.glob("*.json")]
    return [number for number in numbers if Path(f"/proc/{number}").exists()]


def test_a_failed_check_ends_the_job_before_an_engine_starts(cluster: SlurmCluster, job_root: Path) -> None:
    job = Job(cluster, job_root, CASES["one-node"])
    (job_root / "programs" / "nvidia-smi").write_text("#!/bin/sh\necho 'GPU 0: pretended'\n")
    number = job.submit()
    assert cluster.wait_state(number, "FAILED") == "FAILED 1:0"
    assert job.seen() == []
    assert "FAIL  1 GPUs, 2 needed" in job.said()
    (job_root / "again").mkdir()
    again = Job(cluster, job_root / "again", CASES["one-node"])
    again.submit(SKIP_PREFLIGHT="1")
    again.wait_up()


def test_hosts_of_the_cluster_file(cluster: SlurmCluster, job_root: Path) -> None:
    for index, named in enumerate((True, False)):
        root = job_root / str(index)
        root.mkdir()
        nodes = [
            {"address": "10.77.0.12", **({"name": "n2"} if named else {})},
            {"address": "10.77.0.11", **({"name": "n1"} if named else {})},
        ]
        job = Job(cluster, root, CASES["vllm-two-nodes"], {"nodes": nodes})
        job.submit()
        ranks = {each["host"]: each["argv"][each["argv"].index("--node-rank") + 1] for each in job.wait_up()}
        assert ranks == {"n2": "0", "n1": "1"}
        cluster.run("scancel", job.number)
        cluster.wait_state(job.number, "CANCELLED")


def test_options_of_the_cluster_file(cluster: SlurmCluster, job_root: Path) -> None:
    options = {
        "comment": "a \"b\" $c 'd' \\e #f",
        "mem": "10G",
        "exclusive": False,
        "cpus-per-task": 4,
        "time": 9,
    }
    slurm = {"partition": "gpu", "gres": "gpu:h200", "time": "0:30:00", "options": options}
    job = Job(cluster, job_root, CASES["pools-sglang"], {"slurm": slurm, "network": {"interface": "eth0"}})
    number = job.submit()
    job.wait_up()
    shown = cluster.run("scontrol", "show", "job", number)
    for expected in (
        "Comment=a \"b\" $c 'd' \\e #f",
        "TresPerNode=gres:gpu:h200:8",
        "TresPerNode=gres:gpu:h200:4",
        "TimeLimit=00:09:00",
        "MinMemoryNode=10G",
        "CPUs/Task=4",
    ):
        assert expected in shown, shown


@pytest.mark.parametrize("case", ["vllm-two-nodes", "pools-vllm"])
def test_containers(case: str, cluster: SlurmCluster, job_root: Path) -> None:
    if not cluster.plugins:
        pytest.fail("apt-get install gcc libc6-dev libslurm-dev slurm-wlm-basic-plugins-dev", pytrace=False)
    container = {"mounts": ["/data:/data:ro"], "router_image": "registry.acme.io:5000/router:1"}
    site = {"slurm": {"container": "pyxis"}, "container": container}
    job = Job(cluster, job_root, CASES[case], site)
    job.submit()
    bundle, hub = job_root / "a bundle", job_root / ".cache" / "huggingface"
    for record in job.wait_up():
        env = record["env"]
        router = record["argv"][0] == "vllm-router"
        engines = image_of(job.launch).reference
        assert env["PYXIS_0"] == ("registry.acme.io:5000#router:1" if router else engines)
        mounts = [f"{bundle}:{bundle}:ro"]
        if not router:
            mounts += [f"{hub}:{hub}"]
            mounts += [f"{job_root}/caches:{job_root}/caches"] if case == "vllm-two-nodes" else []
            mounts += ["/data:/data:ro"]
        assert env["PYXIS_1"].split(",") == mounts
    assert hub.is_dir()
