"""Hosts made of network namespaces: each has an address, a host name and its own table of names."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

_SUBNET = "10.78.0"


class Hosts:
    """Running namespaces, by the name of the host that each is."""

    def __init__(self, prefix: str, names: Sequence[str]) -> None:
        self.prefix = prefix
        self.names = tuple(names)
        self.addresses = {name: f"{_SUBNET}.{index + 11}" for index, name in enumerate(names)}

    def namespace(self, name: str) -> str:
        return f"{self.prefix}-{self.names.index(name)}"

    def start(
        self, name: str, argv: Sequence[str], env: Mapping[str, str], log: Path
    ) -> subprocess.Popen[bytes]:
        """Start a program on a host; the host's name is its own, too."""
        inside = ["unshare", "--uts", "bash", "-c", 'hostname "$0"; exec "$@"', name[:63], *argv]
        with log.open("wb") as out:
            return subprocess.Popen(
                ["ip", "netns", "exec", self.namespace(name), *inside], env=dict(env), stdout=out, stderr=out
            )


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextmanager
def hosts(names: Sequence[str], aliases: Mapping[str, Sequence[str]]) -> Iterator[Hosts]:
    """Make a bridge and a host for each name, and take them away again; all know each other by the aliases."""
    if shutil.which("ip") is None or os.geteuid() != 0:
        pytest.fail("network namespaces want root and the package iproute2")
    made = Hosts(f"lp{os.getpid()}", names)
    bridge = f"{made.prefix}-br"
    table = "127.0.0.1 localhost\n" + "".join(
        f"{made.addresses[name]} {' '.join(dict.fromkeys((name, *aliases.get(name, ()))))}\n"
        for name in names
    )
    try:
        ip("netns", "add", bridge)
        ip("-n", bridge, "link", "add", "br0", "type", "bridge")
        ip("-n", bridge, "link", "set", "br0", "up")
        for index, name in enumerate(names):
            namespace = made.namespace(name)
            ip("netns", "add", namespace)
            ip("-n", namespace, "link", "set", "lo", "up")
            ip(
                "-n",
                namespace,
                "link",
                "add",
                "eth0",
                "type",
                "veth",
                "peer",
                "name",
                f"v{index}",
                "netns",
                bridge,
            )
            ip("-n", bridge, "link", "set", f"v{index}", "master", "br0", "up")
            ip("-n", namespace, "addr", "add", f"{made.addresses[name]}/24", "dev", "eth0")
            ip("-n", namespace, "link", "set", "eth0", "up")
            etc = Path("/etc/netns") / namespace
            etc.mkdir(parents=True, exist_ok=True)
            (etc / "hosts").write_text(table)
        yield made
    finally:
        for namespace in (bridge, *(made.namespace(name) for name in names)):
            subprocess.run(["ip", "netns", "del", namespace], check=False, capture_output=True)
            shutil.rmtree(Path("/etc/netns") / namespace, ignore_errors=True)
