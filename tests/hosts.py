"""Hosts on one machine: network namespaces on a bridge, each with an address, a name and a /dev/shm of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_PACKAGES = {
    "ip": "iproute2",
    "munged": "munge",
    "slurmctld": "slurm-wlm",
    "slurmd": "slurm-wlm",
    "systemctl": "systemd",
    "systemd-analyze": "systemd",
    "unshare": "util-linux",
}
"""The Debian package of each program that these tests run."""
_PREFIX = f"lp{os.getpid()}"
_INSIDE = 'hostname "$0" && mount -t tmpfs -o size=2g tmpfs /dev/shm && exec "$@"'
_LONGEST_NAME = 63


def demand(*programs: str) -> None:
    """Fail with the package to install when a program is missing, and when the tests may not make hosts."""
    missing = {_PACKAGES[name] for name in programs if shutil.which(name) is None}
    if missing:
        pytest.fail(f"apt-get install {' '.join(sorted(missing))}", pytrace=False)
    if os.geteuid() != 0:
        pytest.fail("these tests make network namespaces; run them as root", pytrace=False)


@dataclass(frozen=True)
class Host:
    """One host, which runs programs while its network stands."""

    name: str
    address: str

    @property
    def namespace(self) -> str:
        return f"{_PREFIX}-{self.address}"

    def command(self, *words: str | Path) -> list[str]:
        """Give the command that runs words on this host."""
        inside = ["unshare", "--mount", "--uts", "sh", "-c", _INSIDE, self.name[:_LONGEST_NAME]]
        return ["ip", "netns", "exec", self.namespace, *inside, *(str(word) for word in words)]

    def start(self, *words: str | Path, env: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
        """Start a program in a process group of its own, its output in a file."""
        with log.open("wb") as output:
            return subprocess.Popen(
                self.command(*words),
                env=dict(env),
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )


@contextmanager
def network(
    hosts: Sequence[Host], aliases: Mapping[str, Sequence[str]] | None = None, *, routed: bool = False
) -> Iterator[None]:
    """Join hosts by a bridge, and take all of it away again; they know each other by names and aliases.

    Nothing leads out of it. `routed` gives each host a default route all the same, by which engines find
    their own address.
    """
    demand("ip", "unshare")
    bridge = f"{_PREFIX}-bridge"
    table = "127.0.0.1 localhost\n" + "".join(
        f"{host.address} {' '.join(dict.fromkeys((host.name, *(aliases or {}).get(host.name, ()))))}\n"
        for host in hosts
    )
    try:
        _ip("netns", "add", bridge)
        _ip("-n", bridge, "link", "add", "br0", "type", "bridge")
        _ip("-n", bridge, "link", "set", "br0", "up")
        for index, host in enumerate(hosts):
            _join(host, bridge, f"v{index}", routed=routed)
            folder = Path("/etc/netns") / host.namespace
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "hosts").write_text(table)
        yield
    finally:
        for namespace in (bridge, *(host.namespace for host in hosts)):
            subprocess.run(["ip", "netns", "del", namespace], check=False, capture_output=True)
            shutil.rmtree(Path("/etc/netns") / namespace, ignore_errors=True)


def _join(host: Host, bridge: str, port: str, *, routed: bool) -> None:
    """Make a host, with a cable to a port of the bridge."""
    peer = ("peer", "name", port, "netns", bridge)
    _ip("netns", "add", host.namespace)
    _ip("-n", host.namespace, "link", "set", "lo", "up")
    _ip("-n", host.namespace, "link", "add", "eth0", "type", "veth", *peer)
    _ip("-n", bridge, "link", "set", port, "master", "br0", "up")
    _ip("-n", host.namespace, "addr", "add", f"{host.address}/24", "dev", "eth0")
    _ip("-n", host.namespace, "link", "set", "eth0", "up")
    if routed:
        _ip("-n", host.namespace, "route", "add", "default", "dev", "eth0")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=30)
