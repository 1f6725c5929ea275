"""A gRPC port that the server does not listen on.

## Why

`--grpc-port` opens a second listener of the Rust frontend, which runs only where `VLLM_USE_RUST_FRONTEND=1`
is set: not beside `--grpc`, which is Python's server, not without API servers, and on a port of its own.

## Fix

Set the variable, or use `--grpc --port`.

## References

- vLLM 0.33.0 `vllm/entrypoints/common/cli_args.py:480`-`:509`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, on, text, variable
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

MOST = 65535


@vllm_rule("ENG221", "grpc-port-listens", source="entrypoints/common/cli_args.py:486", about=("grpc_port",))
def check(view: VllmView) -> Iterator[Violation]:
    """Look at what the listener needs."""
    port = count(view, "grpc_port", -(2**31))
    if port is None:
        return
    servers = count(view, "api_server_count", -(2**31))
    without = on(view, "headless") or (servers is not None and servers <= 0)
    for broken, message, fix in (
        (on(view, "grpc"), "grpc-port is for the Rust frontend, grpc for Python's", "use --grpc with --port"),
        (variable(view, "VLLM_USE_RUST_FRONTEND") is not True,
         "grpc-port needs VLLM_USE_RUST_FRONTEND=1", "set it, or use --grpc with --port"),
        (without, "grpc-port with no API server", "remove grpc-port"),
        (on(view, "data_parallel_multi_port_external_lb"),
         "grpc-port would be shared by every server of data-parallel-multi-port-external-lb", "remove one"),
        (not 0 <= port <= MOST, f"grpc-port is {port}; it must be 0 to {MOST}", None),
        (port != 0 and port == view.arguments["port"] and not text(view, "uds"),
         f"grpc-port and port are both {port}", "use two ports"),
    ):  # fmt: skip
        if broken:
            yield refuse(view, "grpc_port", message, fix)
            return
