"""A switch of the API server without the one that it needs.

## Why

Tool choice needs to know how the model writes a call; logging of outputs goes with logging of requests;
metrics of a request come from the engine's statistics; keep-alive comments have an interval of 0 or more.

## Fix

Add the flag that is named, or remove the switch.

## References

- vLLM 0.33.0 `vllm/entrypoints/common/cli_args.py:554-570`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, on, text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("ENG208", "serving-switches", source="entrypoints/common/cli_args.py:554")
def check(view: VllmView) -> Iterator[Violation]:
    """Look for the companion of each switch."""
    interval = count(view, "sse_keep_alive_interval", -(2**31))
    if on(view, "enable_auto_tool_choice") and not text(view, "tool_call_parser"):
        message = "enable-auto-tool-choice without a tool-call-parser"
        yield refuse(view, "enable_auto_tool_choice", message, "add --tool-call-parser")
    if on(view, "enable_log_outputs") and not on(view, "enable_log_requests"):
        message = "enable-log-outputs without enable-log-requests"
        yield refuse(view, "enable_log_outputs", message, "add --enable-log-requests")
    if on(view, "enable_per_request_metrics") and on(view, "disable_log_stats"):
        message = "enable-per-request-metrics with disable-log-stats, which drops what it reports"
        yield refuse(view, "enable_per_request_metrics", message, "remove one of them")
    if interval is not None and interval < 0:
        message = f"sse-keep-alive-interval is {interval}; it must be 0 or more"
        yield refuse(view, "sse_keep_alive_interval", message, "use 0 to switch it off")
