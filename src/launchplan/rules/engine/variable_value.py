"""An environment variable with a value that vLLM can't read.

## Why

vLLM reads each of its variables when an engine core has started, whether it needs it or not: a word where a
number belongs ends it there. Most of its switches are read as a number, so `true` ends it too. A Kubernetes
Service named `vllm` sets `VLLM_PORT=tcp://...` in every pod of its namespace.

## Fix

Give the value that it wants. In Kubernetes give the Service another name, or set `enableServiceLinks: false`
in the pod.

## References

- vLLM 0.32.0 `vllm/envs.py:2308` (`enable_envs_cache`), called in `v1/engine/core.py:258` and
  `v1/executor/multiproc_executor.py:709`; `get_vllm_port` in `vllm/envs.py`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.finding import KeyPath
from launchplan.resolve import Resolved
from launchplan.rules.environment import variables
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.variable_values import wrong_values
from launchplan.rules.versions import bounds, later_facts
from launchplan.rules.wording import shown

_LINKED = ("tcp://", "udp://")


@rule("ENG116", "variable-value", severity=ERROR, engines=("vllm",), source="vllm/envs.py", at="run")
def check(resolved: Resolved) -> Iterator[Violation]:
    """Read each variable as the release does."""
    for name, value, wanted, path in (*wrong_values(resolved), *_linked(resolved)):
        message = f"{name} is {shown(value)}: it wants {wanted}"
        if value.startswith(_LINKED):
            message += "; Kubernetes sets this for a Service of that name"
            yield Violation(message, path, "rename the Service, or set enableServiceLinks: false in the pod")
        else:
            yield Violation(message, path, f"give it {wanted}")


def _linked(resolved: Resolved) -> Iterator[tuple[str, str, str, KeyPath]]:
    """List what Kubernetes set where a release older than all known ones reads a number."""
    later = later_facts(resolved.deployment)
    if bounds(resolved.deployment) or not later:
        return
    for name, value, path in variables(resolved):
        variable = later[0].variable(name)
        if variable is not None and variable.type == "int" and value.startswith(_LINKED):
            yield name, value, "a whole number", path
