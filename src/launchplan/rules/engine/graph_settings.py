"""Compilation and CUDA graph settings that contradict each other.

## Why

`custom_ops` starts from `all` or `none` and switches single ones by `+name` and `-name`; vLLM's own
compilation takes its own backends only; sizes are positive; the largest size to capture is the largest of
those listed.

## Fix

Correct the setting that is named.

## References

- vLLM 0.33.0 `vllm/config/compilation.py:855`, `:1007-1110`, `vllm/config/vllm.py:2619`, `:150`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from launchplan.engines.vllm.settings.reading import count, mapping, on
from launchplan.engines.vllm.settings.runner import MODES
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule
from launchplan.rules.wording import shown

OWN_BACKENDS = frozenset({"", "eager", "inductor"})
GRAPHS = frozenset({"NONE", "PIECEWISE", "FULL", "FULL_DECODE_ONLY", "FULL_AND_PIECEWISE"})
LEVELS = frozenset({"0", "1", "2", "3"})


@vllm_rule("ENG215", "graph-settings", source="config/compilation.py:1007")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at the settings."""
    config = mapping(view, "compilation_config")
    problem = _modes(config) or _operations(config)
    if problem is not None:
        yield Violation(f"compilation-config {problem}", view.path("compilation_config"), None, None, "parse")
    elif view.settings.cudagraph_mode != "NONE" and not on(view, "enforce_eager"):
        yield from _sizes(view, config)
    level = str(view.arguments["optimization_level"]).strip()
    if level not in LEVELS:
        message = f"optimization-level is {shown(level)}"
        yield refuse(view, "optimization_level", message, "use 0, 1, 2 or 3", source="config/vllm.py:150")


def _modes(config: Mapping[str, Any]) -> str | None:
    mode, graphs = config.get("mode"), config.get("cudagraph_mode")
    if isinstance(mode, str) and mode.upper() not in MODES:
        return f"mode is {shown(mode)}"
    if isinstance(mode, int) and not 0 <= mode < len(MODES):
        return f"mode is {mode}; it must be 0 to {len(MODES) - 1}"
    if isinstance(graphs, str) and graphs.upper() not in GRAPHS:
        return f"cudagraph_mode is {shown(graphs)}"
    own = mode == MODES.index("VLLM_COMPILE") or (isinstance(mode, str) and mode.upper() == "VLLM_COMPILE")
    backend = config.get("backend", "")
    if own and isinstance(backend, str) and backend not in OWN_BACKENDS:
        return f"mode VLLM_COMPILE takes no backend {shown(backend)}"
    return None


def _operations(config: Mapping[str, Any]) -> str | None:
    given = config.get("custom_ops")
    names = [name for name in given if isinstance(name, str)] if isinstance(given, list) else []
    odd = next((each for each in names if not _is_operation(each)), None)
    if odd is not None:
        return f"custom_ops has {shown(odd)}; write +name or -name"
    if sum(name in {"all", "none"} for name in names) > 1:
        return "custom_ops starts from all or from none, not from both"
    both = {name[1:] for name in names if name[0] == "+"} & {name[1:] for name in names if name[0] == "-"}
    return f"custom_ops switches {shown(min(both))} on and off" if both else None


def _is_operation(name: str) -> bool:
    return name in {"all", "none"} or (len(name) > 1 and name[0] in "+-")


def _sizes(view: VllmView, config: Mapping[str, Any]) -> Iterator[Violation]:
    listed = view.arguments["cudagraph_capture_sizes"] or config.get("cudagraph_capture_sizes")
    most = count(view, "max_cudagraph_capture_size", 1) or config.get("max_cudagraph_capture_size")
    sizes = [size for size in listed if isinstance(size, int)] if isinstance(listed, list) else []
    tokens = view.settings.max_num_batched_tokens
    fitting = [size for size in sizes if tokens is None or size <= tokens]
    if isinstance(most, int) and fitting and most != max(fitting):
        message = f"max_cudagraph_capture_size {most} is not the largest of the sizes listed, {max(fitting)}"
        yield refuse(view, "compilation_config", message, "leave it out", source="config/vllm.py:2619")
