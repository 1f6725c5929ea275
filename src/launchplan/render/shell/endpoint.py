"""Where the deployment answers, and what is asked there to see that it works."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pydantic import JsonValue

from launchplan.engines import Launch, Process, Site, Value
from launchplan.engines.hosts import with_port
from launchplan.engines.launch import join, text
from launchplan.engines.media import takes_images
from launchplan.engines.ports import last_value
from launchplan.render.shell.shellcheck import literal_codes
from launchplan.resolve import Deployment
from launchplan.units import decimal

ANYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 # compared with, not bound
LOOPBACK = ("localhost", "127.0.0.1", "::1")
TLS_FLAGS = ("--ssl-certfile", "--tls-cert-path")
"""Of vLLM and SGLang, and of sglang-router. A root path is for proxies: unprefixed paths work."""
_GRPC_FLAGS = ("--grpc", "--grpc-mode", "--smg-grpc-mode")
_ROOM_TO_THINK_TOKENS = 1024
_QUESTION = "Say hello in five words."
_WEATHER = "What is the weather in Oslo?"
_TOOL: JsonValue = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Tell the weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The API that clients talk to: the head's, or the router's in front of pools."""

    process: str
    """Name of the process that serves it."""
    model: str
    """Name that clients ask for."""
    scheme: str
    address: Value
    """Address of its host; without brackets where the site gives it."""
    port: str
    url: Value
    """Base URL as any host reaches it that knows the address."""
    client_url: Value
    """URL of the chat API as clients reach it."""
    asks_address: bool
    """The address is the site's to give."""
    loopback_only: bool
    """Nothing outside the process's own host can reach it."""
    behind_router: bool
    encrypted: bool
    obstacle: str
    """Why the helper scripts cannot ask it over HTTP; empty when they can."""
    chat: Mapping[str, JsonValue]
    """A request that generates a few tokens."""
    tool_chat: Mapping[str, JsonValue]
    """A request that offers a tool."""
    tool_demand: Mapping[str, JsonValue]
    """A request that demands a call of the tool."""
    reasoning_chat: Mapping[str, JsonValue]
    """A request with room to think and to answer."""
    tools: bool
    """The recipe switches tool calls on."""
    reasoning: bool
    """The recipe switches the reasoning parser on."""
    images: bool
    """The model takes images, and nothing that the recipe says forbids them."""
    client_chat: Mapping[str, JsonValue]
    """A client's request with the settings that the model's publisher recommends."""
    codes: str
    """What ShellCheck would ask about the requests."""

    @property
    def direct(self) -> bool:
        """Whether its 404 speaks of the model; a router's may speak of servers that are yet to come."""
        return not self.behind_router

    @property
    def has_obstacle(self) -> bool:
        """Whether the helper scripts need another URL than that of the process."""
        return bool(self.obstacle)

    @property
    def reachable(self) -> bool:
        """Whether a client reaches it over HTTP."""
        return not self.obstacle

    @property
    def may_warn(self) -> bool:
        """Whether some check of `smoke.sh` is no failure and no success either."""
        return self.behind_router or self.tools or self.reasoning

    @property
    def has_codes(self) -> bool:
        """Whether the requests hold what ShellCheck asks about."""
        return bool(self.codes)


def endpoint(launch: Launch) -> Endpoint:
    """Describe the API of a launch."""
    deployment = launch.layout.resolved.deployment
    process = launch.heads[0]
    host = _host(process, deployment)
    address = _address(host, process)
    scheme = "https" if is_given(process, TLS_FLAGS) else "http"
    url = join(f"{scheme}://", with_port(address, api_port(process)))
    features = {feature for pool in launch.layout.resolved.pools for feature in pool.serve.features}
    return Endpoint(
        process=process.name,
        model=launch.model_name,
        scheme=scheme,
        address=address,
        port=str(api_port(process)),
        url=url,
        client_url=join(url, "/v1/chat/completions"),
        asks_address=any(isinstance(part, Site) for part in address),
        loopback_only=host in LOOPBACK,
        behind_router=process.role == "router",
        encrypted=scheme == "https",
        obstacle=obstacle_of(process),
        tools="tools" in features,
        reasoning="reasoning" in features,
        images=takes_images(launch),
        codes=literal_codes((text(json.dumps(launch.model_name, ensure_ascii=False)),)),
        **_requests(launch),
    )


def _requests(launch: Launch) -> dict[str, Mapping[str, JsonValue]]:
    """Make the requests; what a reasoning model needs to come to its answer depends on the model."""
    name, model = launch.model_name, launch.layout.resolved.deployment.model
    efforts = model.reasoning_effort if model is not None else ()
    quick: dict[str, JsonValue] = {"reasoning_effort": "low"} if "low" in efforts else {}
    advised: dict[str, JsonValue] = {**model.sampling} if model is not None else {}
    advised |= {"reasoning_effort": efforts[0]} if efforts else {}
    room = _ROOM_TO_THINK_TOKENS
    tool = quick | {"tools": [_TOOL]}
    return {
        "chat": _chat(name, _QUESTION, 16),
        "tool_chat": _chat(name, _WEATHER, room, tool),
        "tool_demand": _chat(name, _WEATHER, room, tool | {"tool_choice": "required"}),
        "reasoning_chat": _chat(name, _QUESTION, room, quick),
        "client_chat": _chat(name, _QUESTION, room, advised),
    }


def _chat(
    model: str, question: str, max_tokens: int, more: Mapping[str, JsonValue] = MappingProxyType({})
) -> Mapping[str, JsonValue]:
    message: dict[str, JsonValue] = {"role": "user", "content": question}
    return {"model": model, "messages": [message], "max_tokens": max_tokens, **more}


def is_given(process: Process, names: tuple[str, ...]) -> bool:
    """Tell whether a process is given one of the flags."""
    return any(_spelled(each.name) in names for each in process.flags)


def _spelled(name: str) -> str:
    """Spell a flag with dashes; vLLM takes underscores, too."""
    return name.replace("_", "-")


def obstacle_of(process: Process) -> str:
    """Say why a process cannot be asked over HTTP on a port; empty when it can."""
    socket = last_value(process, "--uds")
    if socket is not None:
        return f"{process.name} listens on the Unix socket {socket}, not on a port"
    if is_given(process, _GRPC_FLAGS):
        return f"{process.name} speaks gRPC, not HTTP"
    return ""


def _host(process: Process, deployment: Deployment) -> str:
    """Give the address that the API listens on; empty for every address of its host."""
    given = last_value(process, "--host")
    if given is not None or process.role == "router":
        return (given or "").removeprefix("[").removesuffix("]")
    known = deployment.facts.find("--host") if deployment.facts else None
    return known.default if known is not None and isinstance(known.default, str) else ""


def api_port(process: Process) -> int:
    """Give the port of a process that serves an API, wherever the recipe sets it."""
    given = last_value(process, "--port")
    if given is not None and (port := decimal(given)) is not None:
        return port
    if process.port is None:
        raise ValueError(f"{process.name} serves no API")
    return process.port


def _address(host: str, process: Process) -> Value:
    if host == "localhost":
        return text("127.0.0.1")
    return process.address if host in ANYWHERE else text(host)
