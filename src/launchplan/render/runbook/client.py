"""A client's request with the settings that the model's publisher recommends: curl and Python."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pydantic import JsonValue

from launchplan.engines import Inherited, Site, Value
from launchplan.engines.commands import shell_word
from launchplan.engines.launch import join, text
from launchplan.render.quoting import shell_word as scripted_word
from launchplan.render.runbook.blocks import Block
from launchplan.render.shell.endpoint import Endpoint

_OWN_PARAMETERS = frozenset(
    {
        "temperature",
        "top_p",
        "presence_penalty",
        "frequency_penalty",
        "reasoning_effort",
        "max_tokens",
        "seed",
    }
)
"""Sampling settings that the OpenAI client has parameters for; engines take the others in the body."""
_HERE = "127.0.0.1"


def base_url(endpoint: Endpoint) -> str:
    """Write the base URL as a word for a shell; this host where the site's address is not set."""
    return scripted_word(endpoint.url, "local")


def curl_block(endpoint: Endpoint) -> Block:
    """Write the request for curl."""
    trust = '--cacert "$CA_CERT" ' if endpoint.encrypted else ""
    url = scripted_word(endpoint.client_url, "local")
    data = shell_word(text(json.dumps(endpoint.client_chat, ensure_ascii=False)))
    lines = f"curl {trust}{url} -H 'Content-Type: application/json' \\\n  -d {data}"
    return Block("request with curl", lines)


def python_block(endpoint: Endpoint) -> Block:
    """Write the request for the OpenAI client."""
    return Block("request with Python", _python(endpoint, endpoint.client_chat, "content"), "python")


def tool_block(endpoint: Endpoint) -> Block:
    """Write a request that offers a tool."""
    return Block("request with a tool", _python(endpoint, endpoint.tool_chat, "tool_calls"), "python")


def _python(endpoint: Endpoint, chat: Mapping[str, JsonValue], wanted: str) -> str:
    lines = [
        *(["import os", ""] if endpoint.asks_address else []),
        "from openai import OpenAI",
        "",
        f'client = OpenAI(base_url={_expression(join(endpoint.url, "/v1"))}, api_key="none")',
        "answer = client.chat.completions.create(",
        *(f"    {line}," for line in _arguments(chat)),
        ")",
        f"print(answer.choices[0].message.{wanted})",
    ]
    return "\n".join(lines)


def _arguments(chat: Mapping[str, JsonValue]) -> Iterator[str]:
    own = {"model", "messages", "tools", *_OWN_PARAMETERS}
    for name, value in chat.items():
        if name in own:
            yield f"{name}={_literal(value)}"
    others: Mapping[str, JsonValue] = MappingProxyType(
        {name: value for name, value in chat.items() if name not in own}
    )
    if others:
        yield f"extra_body={_literal(dict(others))}"


def _literal(value: JsonValue) -> str:
    """Write JSON as Python does; its strings are those of JSON."""
    match value:
        case bool() | None:
            return repr(value)
        case dict():
            return "{" + ", ".join(f"{_literal(key)}: {_literal(each)}" for key, each in value.items()) + "}"
        case list():
            return "[" + ", ".join(_literal(each) for each in value) + "]"
        case _:
            # An escape of JSON is two halves of a character for Python, so there are none.
            return json.dumps(value, ensure_ascii=False)


def _expression(value: Value) -> str:
    """Write a value as Python: text, and what the environment has for the site's parts."""
    parts = [_part(part) for part in value if not isinstance(part, Inherited)]
    return " + ".join(parts)


def _part(part: str | Site) -> str:
    if isinstance(part, str):
        return _literal(part)
    return f'os.environ.get({_literal(part.variable)}, "{_HERE}")'
