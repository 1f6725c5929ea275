"""A port that no socket can have.

## Why

Ports are 16 bits wide. Both parsers take any number; binding the socket, or meeting the other ranks at it,
then fails. Port 0 asks for any free one.

## Fix

Use a port from 1 to 65535.

## References

- vLLM 0.33.0 `vllm/entrypoints/launchers/launcher.py:353` (not with `--uds` or `--headless`)
- SGLang 0.5.23 `sglang/srt/entrypoints/http_server.py:3036`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.rule import ERROR, Violation, rule

HIGHEST_PORT = 65535
NAMES = {"vllm": ("port", "master_port"), "sglang": ("port", "nccl_port")}
"""Flags whose port a process of this engine binds or asks for."""
UNBOUND = ("uds", "headless")
"""vLLM's flags with which it binds no port for the API."""


@rule(
    "ENG386",
    "port-exists",
    severity=ERROR,
    source={
        "vllm": "vllm/entrypoints/launchers/launcher.py:353 (0.33.0)",
        "sglang": "sglang/srt/entrypoints/http_server.py:3036 (0.5.23)",
    },
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare each port that is used with what a socket takes."""
    given = view.arguments
    for name in NAMES[view.engine]:
        port = given[name]
        if not isinstance(port, int) or 0 <= port <= HIGHEST_PORT or not _is_used(view, name):
            continue
        message = f"{name.replace('_', '-')} is {port}; ports go up to {HIGHEST_PORT}"
        yield Violation(message, view.path(name), "use a port from 1 to 65535")


def _is_used(view: EngineView, name: str) -> bool:
    if view.engine == "sglang":
        return True
    if name == "master_port":
        nodes = view.arguments["nnodes"]
        return isinstance(nodes, int) and nodes > 1
    return not any(view.arguments[flag] for flag in UNBOUND)
