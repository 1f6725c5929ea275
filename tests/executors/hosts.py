"""Hosts of a test: network namespaces with an address and a name of their own, on one bridge."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

PACKAGES = {
    "ip": "iproute2",
    "munged": "munge",
    "slurmctld": "slurm-wlm",
    "slurmd": "slurm-wlm",
    "systemctl": "systemd",
    "systemd-analyze": "systemd",
    "unshare": "util-linux",
}
"""The Debian package of each program that these tests run."""


def demand(*programs: str) -> None:
    """Fail with the package to install when a program is missing, and when the tests may not make hosts."""
    missing = {PACKAGES[name] for name in programs if shutil.which(name) is None}
    if missing:
        pytest.fail(f"apt-get install {' '.join(sorted(missing))}", pytrace=False)
    if os.geteuid() != 0:
        pytest.fail("these tests make network namespaces; run them as root", pytrace=False)


class Hosts:
    """Hosts by name with addresses; `eth0` of each is on one bridge, which leads nowhere else."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.addresses = dict(names)
        self.prefix = f"lp{os.getpid()}"

    def __enter__(self) -> Self:
        first, *others = self.addresses
        table = "127.0.0.1 localhost\n" + "".join(f"{a} {name}\n" for name, a in self.addresses.items())
        for name in self.addresses:
            _ip("netns", "add", self.space(name))
            folder = Path("/etc/netns") / self.space(name)
            folder.mkdir(parents=True)
            (folder / "hosts").write_text(table)
            self.ip(name, "link", "set", "lo", "up")
        self.ip(first, "link", "add", "br0", "type", "bridge")
        self.ip(first, "addr", "add", f"{self.addresses[first]}/24", "dev", "br0")
        self.ip(first, "link", "set", "br0", "up")
        for name in others:
            peer = ("peer", "name", f"v{name}", "netns", self.space(first))
            self.ip(name, "link", "add", "eth0", "type", "veth", *peer)
            self.ip(first, "link", "set", f"v{name}", "master", "br0", "up")
            self.ip(name, "addr", "add", f"{self.addresses[name]}/24", "dev", "eth0")
            self.ip(name, "link", "set", "eth0", "up")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in self.addresses:
            subprocess.run(["ip", "netns", "del", self.space(name)], check=False, capture_output=True)
            shutil.rmtree(Path("/etc/netns") / self.space(name), ignore_errors=True)

    def space(self, name: str) -> str:
        return f"{self.prefix}-{name}"

    def ip(self, name: str, *words: str) -> None:
        _ip("-n", self.space(name), *words)

    def command(self, name: str, *words: str) -> list[str]:
        """Give the command that runs words on a host, with the host's own name."""
        inside = ["unshare", "--uts", "bash", "-c", 'hostname "$1"; shift; exec "$@"', "_", name, *words]
        return ["ip", "netns", "exec", self.space(name), *inside]


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=30)
