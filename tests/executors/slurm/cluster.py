"""A Slurm cluster of two hosts with eight pretended GPUs each, and a controller."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.hosts import Host, network

NODES = ("n1", "n2")
ADDRESSES = {"ctl": "10.77.0.1", "n1": "10.77.0.11", "n2": "10.77.0.12"}
_HOSTS = {name: Host(name, address) for name, address in ADDRESSES.items()}
_GPUS = 8
_CONFIG = """
ClusterName=ci
SlurmctldHost=ctl(10.77.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={root}/socket/munge
MailProg=/bin/true
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool/%n
SlurmctldPidFile={root}/run/slurmctld.pid
SlurmdPidFile={root}/run/slurmd-%n.pid
SlurmctldLogFile={root}/log/slurmctld.log
SlurmdLogFile={root}/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=1,bf_interval=1
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
GresTypes=gpu
DefMemPerNode=1000
KillWait=5
"""
_NODE = (
    "NodeName={name} NodeHostname={name} NodeAddr={address} CPUs=64 Boards=1 SocketsPerBoard=2 "
    "CoresPerSocket=32 ThreadsPerCore=1 RealMemory=500000 Gres=gpu:h200:8\n"
)


class SlurmCluster:
    """A cluster that lives as long as the `with` block."""

    def __init__(self, root: Path, plugins: str = "") -> None:
        self.root = root
        self.plugins = plugins
        self._network = network(tuple(_HOSTS.values()))
        self.env = {"PATH": os.environ["PATH"], "SLURM_CONF": str(root / "slurm.conf")}

    def __enter__(self) -> Self:
        self._network.__enter__()
        try:
            self._write()
            self._start()
            wait_for(self._idle, 30, "idle nodes")
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for path in (*sorted(self.root.glob("run/slurmd-*.pid")), *self.root.glob("run/slurmctld.pid")):
            _end(path)
        _end(self.root / "secret" / "pid")
        self._network.__exit__(None, None, None)

    def run(
        self, *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None, check: bool = True
    ) -> str:
        """Run a Slurm command on the controller's host."""
        done = subprocess.run(
            _HOSTS["ctl"].command(*words),
            env=self.env | dict(env or {}),
            cwd=cwd or self.root,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout if check else f"{done.returncode} {done.stderr}"

    def submit(self, script: Path, env: Mapping[str, str], folder: Path) -> str:
        """Submit a script from a folder and give the job's number."""
        answer = self.run("sbatch", "--parsable", str(script), env=env, cwd=folder)
        return answer.strip().partition(";")[0]

    def state(self, job: str) -> str:
        """Give the state of a job and its exit code, those of a heterogeneous job's first part."""
        shown = self.run("scontrol", "show", "job", "--oneliner", job).splitlines()[0]
        found = re.search(r"JobState=(\S+).* ExitCode=(\S+)", shown)
        assert found is not None, shown
        return f"{found[1]} {found[2]}"

    def wait_state(self, job: str, *states: str, seconds: float = 60) -> str:
        """Wait until a job is in one of the states."""
        wait_for(lambda: self.state(job).split()[0] in states, seconds, f"{job} {states}")
        return self.state(job)

    def _write(self) -> None:
        for name in ("state", "spool/n1", "spool/n2", "log", "run", "socket", "secret"):
            (self.root / name).mkdir(parents=True)
        for folder in (self.root, *self.root.parents):
            if folder.stat().st_uid == os.geteuid() and folder != Path("/"):
                folder.chmod(folder.stat().st_mode | 0o111)  # munge wants to reach its socket
        (self.root / "socket").chmod(0o755)
        (self.root / "secret").chmod(0o700)
        key = self.root / "secret" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        nodes = "".join(_NODE.format(name=name, address=ADDRESSES[name]) for name in NODES)
        more = f"PlugStackConfig={self.root}/plugstack.conf\n" if self.plugins else ""
        (self.root / "plugstack.conf").write_text(self.plugins)
        (self.root / "slurm.conf").write_text(
            _CONFIG.format(root=self.root)
            + more
            + nodes
            + "PartitionName=gpu Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP\n"
        )
        (self.root / "gres.conf").write_text(
            "".join(f"NodeName={n} Name=gpu Type=h200 File={self.root}/gpu-{n}-[0-7]\n" for n in NODES)
        )
        (self.root / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        for name in NODES:
            for index in range(_GPUS):
                device = ["mknod", "-m", "666", str(self.root / f"gpu-{name}-{index}")]
                subprocess.run([*device, "c", "195", str(index)], check=True)

    def _start(self) -> None:
        secret = self.root / "secret"
        files = {"key-file": "key", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        munge = [f"--{option}={secret / name}" for option, name in files.items()]
        subprocess.run(
            ["munged", *munge, f"--socket={self.root}/socket/munge", "--num-threads=2"],
            check=True,
            capture_output=True,
        )
        for host, words in (
            ("ctl", ["slurmctld", "-c"]),
            *((name, ["slurmd", "-N", name]) for name in NODES),
        ):
            subprocess.run(
                _HOSTS[host].command(*words),
                env=self.env,
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=60,
            )

    def _idle(self) -> bool:
        return "2 idle" in self.run("sinfo", "-h", "-o", "%D %t")


def wait_for(holds: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait until something holds; fail when it does not in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.2)


def _end(path: Path) -> None:
    """End the process that a pid file names, and wait until it is gone."""
    if not path.exists():
        return
    number = int(path.read_text().strip())
    for kind in (signal.SIGTERM, signal.SIGKILL):
        for _ in range(50):
            try:
                os.kill(number, kind)
            except ProcessLookupError:
                return
            time.sleep(0.1)
