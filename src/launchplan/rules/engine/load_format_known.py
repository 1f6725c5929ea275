"""A way to load weights whose name is written wrongly.

## Why

`--load-format` takes any name, since plug-ins may bring loaders of their own. One that differs from a
built-in name by a letter or a sign is no plug-in's: the workers look it up and stop.

## Fix

Use the name that is given, or leave `load-format` out.

## References

- vLLM 0.33.0 `vllm/model_executor/model_loader/__init__.py:126`, `:47`, `vllm/config/load.py:138`
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from launchplan.engines.vllm.settings.reading import text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.engine.load_format_plugged import LIKE, LOADERS, SOURCE
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import names_are_known, refuse, vllm_rule
from launchplan.rules.wording import shown


@vllm_rule("ENG410", "load-format-known", source=SOURCE, at="worker", about=("load_format",))
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the name with the built-in ones."""
    name = (text(view, "load_format") or "auto").lower()
    near = get_close_matches(name, LOADERS, n=1, cutoff=LIKE)
    if name not in LOADERS and near and names_are_known(view):
        message = f"there is no loader {shown(name)}"
        yield refuse(view, "load_format", message, f"did you mean {near[0]}?")
