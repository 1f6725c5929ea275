"""Memory nodes or processors without binding, or written in another way.

## Why

`--numa-bind-nodes` and `--numa-bind-cpus` say where the ranks of `--numa-bind` are bound; without it they
would do nothing and are refused. Nodes count from 0, processors are lists and ranges as numactl writes
them.

## Fix

Add `--numa-bind`; write `0-3` or `0,2,4-7`.

## References

- vLLM 0.33.0 `vllm/config/parallel.py:478-520`, `:559`
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule
from launchplan.rules.wording import shown

_CPUS = re.compile(r"\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*")


@vllm_rule("ENG213", "processors-bound", source="config/parallel.py:559")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at nodes and processors."""
    nodes, lists = view.arguments["numa_bind_nodes"], view.arguments["numa_bind_cpus"]
    wrong = next((each for each in lists or () if not _is_ascending(str(each))), None)
    if any(isinstance(node, int) and node < 0 for node in nodes or ()):
        yield refuse(
            view, "numa_bind_nodes", "numa-bind-nodes counts from 0", source="config/parallel.py:484"
        )
    elif wrong is not None:
        message = f"numa-bind-cpus {shown(wrong)} is no list of processors"
        yield refuse(view, "numa_bind_cpus", message, "write 0-3 or 0,2,4-7", source="config/parallel.py:500")
    elif (nodes is not None or lists is not None) and not on(view, "numa_bind"):
        name = "numa_bind_nodes" if nodes is not None else "numa_bind_cpus"
        yield refuse(view, name, f"{name.replace('_', '-')} without numa-bind", "add --numa-bind")


def _is_ascending(text: str) -> bool:
    if not _CPUS.fullmatch(text):
        return False
    ranges = [part.split("-") for part in text.split(",")]
    return all(len(ends) == 1 or int(ends[0]) <= int(ends[1]) for ends in ranges)
