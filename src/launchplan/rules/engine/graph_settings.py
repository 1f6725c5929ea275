"""Compilation and CUDA graph settings that contradict each other.

## Why

`custom_ops` starts from `all` or `none` and switches single ones by `+name` and `-name`; vLLM's own
compilation takes its own backends only; sizes are positive; the largest size to capture is the largest of
those listed.

## Fix

Correct the setting that is named.

## References

- vLLM 0.33.0 `vllm/config/compilation.py:855`, `:1007-1147`, `vllm/config/vllm.py:2619`, `:150`,
  `:2554`
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
NUMBERED = frozenset({0, 1, 2})
"""Numbers of the modes that are no pairs (`compilation.py:55`)."""
LEVELS = frozenset({"0", "1", "2", "3"})


@vllm_rule("ENG215", "graph-settings", source="config/compilation.py:1007")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at the settings."""
    config = mapping(view, "compilation_config")
    problem = _modes(config) or _operations(config)
    word = _word(config)
    if problem is not None:
        yield Violation(f"compilation-config {problem}", view.path("compilation_config"), None, None, "parse")
    elif word is not None:
        message, place = f"compile_sizes has {shown(word)}", "config/compilation.py:1147"
        yield refuse(view, "compilation_config", message, "use cudagraph_capture_sizes", source=place)
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
    if isinstance(graphs, int) and not isinstance(graphs, bool) and graphs not in NUMBERED:
        return f"cudagraph_mode is {graphs}"
    if isinstance(graphs, str) and graphs.upper() not in GRAPHS:
        return f"cudagraph_mode is {shown(graphs)}"
    own = mode == MODES.index("VLLM_COMPILE") or (isinstance(mode, str) and mode.upper() == "VLLM_COMPILE")
    backend = config.get("backend", "")
    if own and isinstance(backend, str) and backend not in OWN_BACKENDS:
        return f"mode VLLM_COMPILE takes no backend {shown(backend)}"
    return None


def _word(config: Mapping[str, Any]) -> str | None:
    """Give a word among the sizes to compile for that stands for none."""
    sizes = config.get("compile_sizes")
    words = [size for size in sizes if isinstance(size, str)] if isinstance(sizes, list) else []
    return next((word for word in words if word != "cudagraph_capture_sizes"), None)


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
    given = count(view, "max_cudagraph_capture_size", -(2**31))
    most = given if given is not None else config.get("max_cudagraph_capture_size")
    if isinstance(most, int) and most < 1:
        flag = "compilation_config" if given is None else "max_cudagraph_capture_size"
        message = f"max_cudagraph_capture_size is {most}; it must be 1 or more"
        yield refuse(view, flag, message, "leave it out", source="config/vllm.py:2554")
        return
    sizes = [size for size in listed if isinstance(size, int)] if isinstance(listed, list) else []
    tokens = view.settings.max_num_batched_tokens
    fitting = [size for size in sizes if tokens is None or size <= tokens]
    if isinstance(most, int) and fitting and most != max(fitting):
        message = f"max_cudagraph_capture_size {most} is not the largest of the sizes listed, {max(fitting)}"
        yield refuse(view, "compilation_config", message, "leave it out", source="config/vllm.py:2619")
