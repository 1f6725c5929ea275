"""A number that the engine does not take.

## Why

The parser takes any number; the configuration that it goes to has limits, and refuses to be made. A memory
share is above 0 and at most 1, sizes are 1 or more, and so on.

## Fix

Use a number in the range that is named, or leave the flag out.

## References

- vLLM 0.33.0 the limit of each flag, with its line: launchplan's catalog (`engine_json`)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.catalog.engine_json import Limit
from launchplan.engines.vllm.settings.reading import on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("ENG201", "number-in-range", source="config/utils.py:41")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare each number that is written with its limits."""
    facts = catalog.engine_json(view.engine, view.pool.deployment.version)
    for dest in view.arguments.given if facts else ():
        limit, value = facts.limit(dest) if facts else None, view.arguments[dest]
        if limit is None or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        wanted = None if value in limit.besides or not _is_looked_at(view, limit) else limit.problem(value)
        if wanted is not None:
            name = limit.dest.replace("_", "-")
            place = limit.source.removeprefix("vllm/")
            yield refuse(view, limit.dest, f"{name} is {value:g}; it must be {wanted}", source=place)


def _is_looked_at(view: VllmView, limit: Limit) -> bool:
    if limit.only_with is None:
        return True
    if limit.only_with == "multimodal":
        return view.settings.model.multimodal is True
    return on(view, limit.only_with)
