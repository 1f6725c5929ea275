"""A network device that is none of those that the cluster file lists.

## Why

`network.hcas` says which RDMA devices the hosts have. A variable or flag that names another one makes
NCCL, UCX or the KV transfer find no device, or fall back to TCP without a word.

## Fix

Correct the name, or add the device to `network.hcas`.

## References

- NCCL 2.28 documentation, NCCL_IB_HCA; UCX 1.19 documentation, UCX_NET_DEVICES
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from launchplan.finding import KeyPath
from launchplan.resolve import Resolved
from launchplan.rules.environment import variables
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import cut

_VARIABLES = frozenset({"NCCL_IB_HCA", "UCX_NET_DEVICES", "NVSHMEM_HCA_LIST", "MOONCAKE_DEVICE"})
_FLAGS = frozenset({"disaggregation-ib-device", "mooncake-ib-device"})
_ANY = frozenset({"", "all", "auto"})


@rule("NET108", "named-devices-known", severity=ERROR)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Compare devices that are named anywhere with the cluster file's."""
    cluster = resolved.deployment.cluster
    known = cluster.value.network.hcas if cluster is not None else []
    if not known:
        return
    for path, name, value in _named(resolved):
        if value.startswith("^"):  # NCCL: all but these
            continue
        for device in re.split(r"[,;]", value.removeprefix("=")):
            if not _is_known(device.strip(), known):
                message = f"{name} names {cut(device.strip())}, network.hcas has {cut(', '.join(known))}"
                yield Violation(message, path, "correct it, or add it to network.hcas")
                break


def _named(resolved: Resolved) -> Iterator[tuple[KeyPath, str, str]]:
    for name, value, path in variables(resolved):
        if name in _VARIABLES:
            yield path, name, value
    for pool in resolved.pools:
        for name, held in pool.args.items():
            if name in _FLAGS and isinstance(held, str) and not held.lstrip().startswith("{"):
                yield pool.arg_paths[name], name, held


def _is_known(device: str, known: list[str]) -> bool:
    """Tell whether a device, with or without a port, is listed; NCCL takes beginnings of names."""
    name = device.partition(":")[0]
    names = [each.partition(":")[0] for each in known]
    return name in _ANY or any(each.startswith(name) for each in names) or "/" in device
