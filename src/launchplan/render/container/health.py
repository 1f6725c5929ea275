"""How a container is asked whether it works: a request that generates, where its process answers one.

A process that is alive, or a `/health` that says 200, does not show that tokens come out: engines were seen
to hang on their first request. The images hold Python for certain and curl not always.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from launchplan.engines import Launch, Process
from launchplan.engines.hosts import with_port
from launchplan.engines.launch import text
from launchplan.engines.ports import last_value
from launchplan.render.shell.endpoint import (
    ANYWHERE,
    LOOPBACK,
    TLS_FLAGS,
    api_port,
    is_given,
    obstacle_of,
)

PROGRAM = (
    "import json,os,ssl,sys,urllib.request as u;"
    'k=os.environ.get("VLLM_API_KEY");'
    'h={"Content-Type":"application/json",**({"Authorization":"Bearer "+k} if k else {})};'
    "d=sys.argv[2].encode() if sys.argv[2:] else None;"
    "s=u.HTTPSHandler(context=ssl._create_unverified_context());"
    "a=u.build_opener(u.ProxyHandler({}),s).open(u.Request(sys.argv[1],d,h),timeout=60).read();"
    'sys.exit(bool(d) and json.loads(a)["usage"]["completion_tokens"]<1)'
)
"""Python that asks a URL, with a request when there is one; ends with 0 when that was answered with tokens.

It goes past proxies of the environment, and trusts whoever answers on the container's own address.
"""


@dataclass(frozen=True, slots=True)
class Health:
    """How one process is asked."""

    scheme: Literal["http", "https"]
    address: str
    """Where the process answers, seen from inside its container: an IP address without brackets."""
    port: int
    path: str
    """What a quick probe asks."""
    command: tuple[str, ...]
    """The words that ask for tokens, run inside the container."""
    generates: bool
    """The command's request generates; else it asks what the engine says of itself."""


def health_of(launch: Launch, process: Process) -> Health | None:
    """Say how to ask a process; None for one that serves no API, or none over HTTP.

    One side of a prefill/decode pair does not generate alone: SGLang's makes up the other one for
    `/health_generate`, vLLM's is asked for `/health`, and the router generates.
    """
    if process.port is None or obstacle_of(process):
        return None
    host = (last_value(process, "--host") or "").removeprefix("[").removesuffix("]")
    address = "127.0.0.1" if host in (*ANYWHERE, *LOOPBACK) else host
    scheme: Literal["http", "https"] = "https" if is_given(process, TLS_FLAGS) else "http"
    port = api_port(process)
    base = f"{scheme}://{with_port(text(address), port)[0]}"
    sglang = launch.layout.resolved.deployment.engine == "sglang"
    ask = ("python3", "-c", PROGRAM)
    if process.role in {"serve", "router"} and not (sglang and process.role == "serve"):
        chat = json.dumps(
            {"model": launch.model_name, "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}
        )
        return Health(scheme, address, port, "/health", (*ask, f"{base}/v1/chat/completions", chat), True)
    if sglang:
        return Health(scheme, address, port, "/health", (*ask, f"{base}/health_generate"), True)
    return Health(scheme, address, port, "/health", (*ask, f"{base}/health"), False)
