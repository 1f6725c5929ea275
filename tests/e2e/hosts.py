"""Hosts of a small network on one machine: network namespaces, each with a /dev/shm of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_INSIDE = 'mount -t tmpfs -o size=2g tmpfs /dev/shm && exec "$@"'


@dataclass(frozen=True)
class Host:
    """One host."""

    name: str
    address: str

    def argv(self, *words: str | Path) -> list[str]:
        """Give the command that runs words on this host."""
        return [
            *("ip", "netns", "exec", self.name, "unshare", "--mount", "sh", "-c", _INSIDE, "sh"),
            *(str(word) for word in words),
        ]

    def start(self, *words: str | Path, env: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
        """Start a program in a process group of its own, its output in a file."""
        with log.open("wb") as output:
            return subprocess.Popen(
                self.argv(*words), env=env, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )

    def run(
        self, *words: str | Path, env: Mapping[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end."""
        return subprocess.run(
            self.argv(*words),
            env=env,
            timeout=timeout,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )


HEAD, FOLLOWER = HOSTS = (Host("launchplan-a", "10.77.0.1"), Host("launchplan-b", "10.77.0.2"))


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def _remove() -> None:
    for host in HOSTS:
        with suppress(subprocess.CalledProcessError):
            _ip("netns", "del", host.name)


@contextmanager
def network() -> Iterator[tuple[Host, ...]]:
    """Join two hosts by a cable. Each has a default route, by which engines find their own address."""
    if shutil.which("ip") is None or os.geteuid() != 0:
        raise RuntimeError("two hosts need root and `ip` (Debian: iproute2)")
    _remove()
    for host in HOSTS:
        _ip("netns", "add", host.name)
    _ip(
        "link",
        "add",
        "eth0",
        "netns",
        HEAD.name,
        "type",
        "veth",
        "peer",
        "name",
        "eth0",
        "netns",
        FOLLOWER.name,
    )
    for host, other in ((HEAD, FOLLOWER), (FOLLOWER, HEAD)):
        _ip("-n", host.name, "link", "set", "lo", "up")
        _ip("-n", host.name, "addr", "add", f"{host.address}/24", "dev", "eth0")
        _ip("-n", host.name, "link", "set", "eth0", "up")
        _ip("-n", host.name, "route", "add", "default", "via", other.address)
    try:
        yield HOSTS
    finally:
        _remove()


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
