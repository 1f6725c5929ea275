"""An executor that vLLM does not have.

## Why

`--distributed-executor-backend` is `mp`, `uni`, `ray`, `external_launcher`, or the dotted path of a class;
any other word is looked up as such a path and not found.

## Fix

Leave the flag out: vLLM takes processes, or none for a single GPU.

## References

- vLLM 0.33.0 `vllm/v1/executor/abstract.py:95`, `vllm/utils/import_utils.py:121`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule
from launchplan.rules.wording import shown

BUILT_IN = frozenset({"mp", "uni", "ray", "external_launcher"})


@vllm_rule("PAR214", "executor-known", source="utils/import_utils.py:121")
def check(view: VllmView) -> Iterator[Violation]:
    """Look the executor up."""
    name = text(view, "distributed_executor_backend")
    if name is not None and name not in BUILT_IN and "." not in name:
        message = f"distributed-executor-backend {shown(name)} is neither an executor nor a class"
        yield refuse(view, "distributed_executor_backend", message, "leave it out, or use mp")
