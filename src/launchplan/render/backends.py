"""What a router hands requests to, and when it can."""

from __future__ import annotations

from launchplan.engines import Launch, Value
from launchplan.engines.hosts import with_port
from launchplan.engines.launch import join
from launchplan.render.shell.endpoint import TLS_FLAGS, api_port, is_given, obstacle_of


def backend_urls(launch: Launch) -> tuple[Value, ...]:
    """List the URLs that answer with 200 when the engines behind a router serve; none without a router."""
    if not any(process.role == "router" for process in launch.processes):
        return ()
    return tuple(
        join(_scheme(is_given(process, TLS_FLAGS)), with_port(process.address, port), "/health")
        for process in launch.processes
        if process.port is not None and process.role != "router" and not obstacle_of(process)
        for port in range(api_port(process), api_port(process) + process.servers)
    )


def _scheme(encrypted: bool) -> str:
    return "https://" if encrypted else "http://"
