"""A headless node that is asked for API servers.

## Why

`--headless` is for the nodes behind the first: they run engine processes and answer no requests, so `--api-
server-count` above 0 contradicts it.

## Fix

Remove `--api-server-count` on headless nodes.

## References

- vLLM 0.33.0 `vllm/entrypoints/cli/serve.py:71`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("ENG207", "headless-servers", source="entrypoints/cli/serve.py:71")
def check(view: VllmView) -> Iterator[Violation]:
    """Count the servers of a headless node."""
    servers = count(view, "api_server_count", 1)
    if on(view, "headless") and servers is not None:
        message = f"headless starts no API server, api-server-count is {servers}"
        yield refuse(view, "api_server_count", message, "remove one of them")
