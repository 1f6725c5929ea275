"""A host's own address that is given as a name.

## Why

vLLM takes `VLLM_HOST_IP` as it stands and compares it with what other processes report, Ray above all. A name
never equals an address: the ranks of that host are not found.

## Fix

The host's IP address.

## References

- vLLM 0.33.0 `vllm/utils/network_utils.py` (`get_ip`); vllm-project/vllm issue 12670
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import shown

VARIABLE = "VLLM_HOST_IP"
PLACEHOLDER = "$<{"


@rule(
    "NET401", "host-address-is-ip", severity=ERROR, engines=("vllm",), source="vllm-project/vllm issue 12670"
)
def check(view: EngineView) -> Iterator[Violation]:
    """Read the address of a launch over several hosts."""
    value = view.env.get(VARIABLE, "")
    if view.pool.nodes == 1 or not value or "." not in value or any(sign in value for sign in PLACEHOLDER):
        return
    try:
        ipaddress.ip_address(value)
    except ValueError:
        yield Violation(f"{VARIABLE} {shown(value)} is no IP address", ("env", VARIABLE), "give the address")
