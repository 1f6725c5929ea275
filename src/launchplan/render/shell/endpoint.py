"""Where the deployment answers, and what is asked there to see that it works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pydantic import JsonValue

from launchplan.engines import Launch, Process, Site, Value
from launchplan.engines.launch import join, text
from launchplan.resolve import Deployment

_ANYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 # compared with, not bound
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
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
    url: Value
    """Base URL as the process's own host reaches it, or any host that knows the head's address."""
    client_url: Value
    """URL of the chat API as clients reach it."""
    loopback_only: bool
    """Nothing outside the process's own host can reach it."""
    behind_router: bool
    chat: Mapping[str, JsonValue]
    """A request that generates a few tokens."""
    tool_chat: Mapping[str, JsonValue]
    """A request that offers a tool."""
    tools: bool
    """The recipe switches tool calls on."""
    client_chat: Mapping[str, JsonValue]
    """A client's request with the settings that the model's publisher recommends."""


def endpoint(launch: Launch) -> Endpoint:
    """Describe the API of a launch."""
    deployment = launch.layout.resolved.deployment
    process = launch.heads[0]
    host = _host(process, deployment)
    port = api_port(process)
    model = deployment.model
    advised: dict[str, JsonValue] = {}
    if model is not None:
        advised |= model.sampling
        advised |= {"reasoning_effort": model.reasoning_effort[0]} if model.reasoning_effort else {}
    return Endpoint(
        process=process.name,
        model=launch.model_name,
        url=_url(host, process, port, from_elsewhere=False),
        client_url=join(_url(host, process, port, from_elsewhere=True), "/v1/chat/completions"),
        loopback_only=host in _LOOPBACK,
        behind_router=process.role == "router",
        chat=_chat(launch.model_name, "Say hello in five words.", 16),
        tool_chat=_chat(launch.model_name, "What is the weather in Oslo?", 64, {"tools": [_TOOL]}),
        tools=any("tools" in pool.serve.features for pool in launch.layout.resolved.pools),
        client_chat=_chat(launch.model_name, "Say hello in five words.", 1024, advised),
    )


def _chat(
    model: str, question: str, max_tokens: int, more: Mapping[str, JsonValue] = MappingProxyType({})
) -> Mapping[str, JsonValue]:
    message: dict[str, JsonValue] = {"role": "user", "content": question}
    return {"model": model, "messages": [message], "max_tokens": max_tokens, **more}


def last_value(process: Process, flag: str) -> str | None:
    """Give the text of the last value that a flag is given, None when it is not or the site gives it."""
    values = [flag_.values[-1] for flag_ in process.flags if flag_.name == flag and flag_.values]
    parts = values[-1] if values else ()
    return parts[0] if len(parts) == 1 and isinstance(parts[0], str) else None


def _host(process: Process, deployment: Deployment) -> str:
    """Give the address that the API listens on; empty for every address of its host."""
    given = last_value(process, "--host")
    if given is not None or process.role == "router":
        return given or ""
    known = deployment.facts.find("--host") if deployment.facts else None
    return known.default if known is not None and isinstance(known.default, str) else ""


def api_port(process: Process) -> int:
    """Give the port of a process that serves an API, wherever the recipe sets it."""
    given = last_value(process, "--port")
    if given is not None and given.isdecimal():
        return int(given)
    if process.port is None:
        raise ValueError(f"{process.name} serves no API")
    return process.port


def _url(host: str, process: Process, port: int, *, from_elsewhere: bool) -> Value:
    if host in _LOOPBACK:
        address: Value = text("127.0.0.1")
    elif host not in _ANYWHERE:
        address = text(host)
    elif from_elsewhere or isinstance(process.address[0], Site):
        address = process.address
    else:
        address = (Site("HEAD_ADDR", "address of the head"),)
    return join("http://", address, f":{port}")
