"""Start a rendered bundle by its own scripts, on the hosts that its cluster file names."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from tests.hosts import Host

HERE = Path(__file__).parent
ENGINES = Path(os.environ.get("LAUNCHPLAN_E2E", HERE.parents[1] / ".e2e"))
"""Where `install.sh` put the engines."""
HEAD, FOLLOWER = HOSTS = (Host("launchplan-a", "10.77.0.1"), Host("launchplan-b", "10.77.0.2"))
STARTS_WITHIN = 900
"""Seconds that a deployment may take to its first answer; an idle machine needs about a tenth."""
STOPS_WITHIN = 90
ON_A_CPU = {
    "vllm": {
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    },
    "sglang": {"HF_HUB_OFFLINE": "1", "SGLANG_CPU_OMP_THREADS_BIND": "0|1"},
}
"""What an engine needs that runs without a GPU; the only thing that a bundle here has beyond others."""


@dataclass(frozen=True)
class Site:
    """A folder with recipes and the model that they name."""

    folder: Path
    model: Path

    def render(self, recipe: str, engine: str) -> Bundle:
        """Render a recipe for the two hosts by the command line."""
        cluster = {
            "launchplan": 1,
            "name": "site",
            "nodes": [{"name": host.name, "address": host.address} for host in HOSTS],
            "network": {"interface": "eth0"},
            "paths": {"model": str(self.model), "local_cache": str(self.folder / "caches")},
            "env": ON_A_CPU[engine],
        }
        cluster_file = self.folder / f"{recipe}-{engine}.cluster.yaml"
        cluster_file.write_text(yaml.safe_dump(cluster))
        folder = self.folder / f"{recipe}-{engine}"
        words: list[str | Path] = [recipe_file(self.folder, recipe), "--cluster", cluster_file, "-o", folder]
        made = subprocess.run(
            [sys.executable, "-m", "launchplan", "render", *words, "--set", f"engine.name={engine}"],
            text=True,
            capture_output=True,
            check=False,
        )
        assert made.returncode == 0, made.stdout + made.stderr
        return Bundle(folder, engine)


def recipe_file(folder: Path, name: str) -> Path:
    """Find a recipe in a site's folder."""
    return folder / f"{name}.yaml"


@dataclass
class Bundle:
    """A rendered bundle and the processes that run from it."""

    folder: Path
    engine: str
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        """The environment of a login on a host: programs and a home, nothing else."""
        programs = [ENGINES / name / "bin" for name in (self.engine, "router")]
        return {
            "PATH": os.pathsep.join([*(str(folder) for folder in programs), os.environ["PATH"]]),
            "HOME": str(self.folder),
        }

    def start(self, name: str, host: Host) -> None:
        """Start the script of a process on a host."""
        self.running[name] = host.start("bash", self.folder / f"{name}.sh", env=self.env, log=self.log(name))

    def log(self, name: str) -> Path:
        """Give the file that holds what a process said."""
        return self.folder / f"{name}.log"

    def tool(self, name: str, *words: str) -> None:
        """Run a script that asks the deployment something; it must succeed while every process runs."""
        env = self.env | {"READY_TIMEOUT_S": str(STARTS_WITHIN), "READY_POLL_S": "1"}
        with (self.folder / f"{name}.said").open("w+") as said:
            asked = subprocess.Popen(
                HEAD.command("bash", self.folder / f"{name}.sh", *words), env=env, stdout=said, stderr=said
            )
            while asked.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    asked.wait(2)
                self._fail_if_one_ended(asked)
            said.seek(0)
            logs = "\n".join(f"== {process}\n{self.tail(process)}" for process in self.running)
            assert asked.returncode == 0, f"{name}.sh: {said.read()}\n{logs}"

    def _fail_if_one_ended(self, asked: subprocess.Popen[bytes]) -> None:
        for name, process in self.running.items():
            if process.poll() is not None:
                asked.kill()
                asked.wait()
                pytest.fail(f"{name} ended with {process.returncode}:\n{self.tail(name)}")

    def metric(self, host: Host, name: str, label: str) -> dict[str, float]:
        """Sum a metric of the engine on a host by a label."""
        url = f"http://{host.address}:8000/metrics"
        curl = HEAD.command("curl", "--silent", "--show-error", url)
        asked = subprocess.run(
            curl,
            env=self.env,
            timeout=60,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        sums: dict[str, float] = {}
        for line in asked.stdout.splitlines():
            found = re.fullmatch(rf'{name}\{{.*\b{label}="([^"]*)".*\}} (\S+)', line)
            if found is not None:
                sums[found[1]] = sums.get(found[1], 0) + float(found[2])
        return sums

    def tail(self, name: str) -> str:
        """Give the end of a process's log."""
        return "\n".join(self.log(name).read_text(errors="replace").splitlines()[-25:])

    def stop(self, *names: str) -> None:
        """Stop processes in order; each must end when asked."""
        for name in names:
            assert end(self.running.pop(name), STOPS_WITHIN), f"{name} did not stop:\n{self.tail(name)}"


@contextmanager
def deployed(site: Site, recipe: str, engine: str, processes: dict[str, Host]) -> Iterator[Bundle]:
    """Render and start a deployment, wait until it generates; whatever happens, nothing keeps running."""
    bundle = site.render(recipe, engine)
    try:
        for name, host in processes.items():
            bundle.start(name, host)
        bundle.tool("wait-ready")
        yield bundle
    finally:
        for popen in bundle.running.values():
            end(popen, 10)


def end(process: subprocess.Popen[bytes], timeout: float) -> bool:
    """Ask a process to stop, kill what is left of its group; tell whether it stopped when asked."""
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout)
    stopped = process.poll() is not None
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return stopped


def installed(*names: str) -> None:
    """Fail with the cure where an engine is not installed."""
    for name in names:
        if shutil.which("python", path=str(ENGINES / name / "bin")) is None:
            pytest.fail(f"{name} is not installed in {ENGINES.name}: run `make e2e`", pytrace=False)
