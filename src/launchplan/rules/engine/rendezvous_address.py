"""A rendezvous address that SGLang can't read.

## Why

Attention data parallelism talks over TCP. On one host without an address SGLang takes the loopback; with an
address, and always on several hosts, it reads `--dist-init-addr` as `host:port` and takes nothing else.

## Fix

Write `dist-init-addr` as `10.0.0.1:20000`, an IPv6 address in brackets.

## References

- SGLang 0.5.23 `server_args.py:812`, `utils/network.py:597`-`:645`
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import joins_attention_dp, refuse, sglang_rule
from launchplan.rules.wording import shown

NAME = "dist_init_addr"
HIGHEST_PORT = 65535
DECOUPLED = ("decoupled_spec_bind_endpoint", "decoupled_spec_connect_endpoints", "decoupled_spec_rank")


@sglang_rule("ENG375", "rendezvous-address", source="../utils/network.py:616")
def check(view: SglangView) -> Iterator[Violation]:
    """Read the address as the engine does."""
    given = view.arguments
    address = given[NAME]
    if given["decoupled_spec_role"] != "null":
        for name in DECOUPLED:
            if given[name] is None:
                flag = name.replace("_", "-")
                message = f"decoupled-spec-role {given['decoupled_spec_role']} needs {flag}"
                yield refuse(view, "decoupled_spec_role", message, f"add {flag}")
    if not joins_attention_dp(view) or (given["nnodes"] == 1 and address is None):
        return
    problem = _problem(address or "")
    if problem is not None:
        yield refuse(view, NAME, f"dist-init-addr {problem}", "write it as 10.0.0.1:20000")


def _problem(address: str) -> str | None:
    if not address:
        return "is missing, attention data parallelism over several hosts needs it"
    host, separator, port = address.rpartition(":")
    if not separator or address.endswith("]"):
        return f"{shown(address)} has no port"
    if host.startswith("["):
        if not host.endswith("]") or not _is_ipv6(host[1:-1]):
            return f"{shown(address)} is no IPv6 address in brackets"
    elif not host or _is_ipv6(host):
        return f"{shown(address)} has no host" if not host else f"{shown(address)} needs brackets around IPv6"
    number = port.strip()
    if not number.isascii() or not number.isdigit() or int(number) > HIGHEST_PORT:
        return f"{shown(address)} has no port of 0 to {HIGHEST_PORT}" if _plain(port) else None
    return None


def _plain(port: str) -> bool:
    """Tell whether a port is text that only the running site completes; such text is left alone."""
    return not port.isidentifier() or not port.isupper()


def _is_ipv6(host: str) -> bool:
    try:
        return isinstance(ipaddress.ip_address(host), ipaddress.IPv6Address)
    except ValueError:
        return False
