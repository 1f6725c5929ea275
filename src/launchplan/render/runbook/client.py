"""Requests of clients with the settings that the model's publisher recommends: curl and Python."""

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
_WIDTH = 80
_PATIENCE_S = 3600
"""A long answer takes longer than the ten minutes that the OpenAI client waits by itself."""
_ABOUT_PICTURE = "Read all the text in this picture."


def blocks(endpoint: Endpoint) -> Iterator[Block]:
    """Give the requests that this deployment answers; none where HTTP does not reach it."""
    if not endpoint.reachable:
        return
    yield curl_block(endpoint)
    yield python_block(endpoint)
    yield stream_block(endpoint)
    if endpoint.tools:
        yield tool_block(endpoint)
    if endpoint.images:
        yield image_block(endpoint)


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
    """Write the request for the OpenAI client; it prints the thoughts where a parser sets them apart."""
    lines = (*_begin(endpoint), *_ask(_arguments(endpoint.client_chat)), *_printed(endpoint))
    return Block("request with Python", "\n".join(lines), "python")


def stream_block(endpoint: Endpoint) -> Block:
    """Write the request that prints the answer as it comes, the thoughts before it where they stand apart."""
    lines = (
        *_begin(endpoint),
        "stream = client.chat.completions.create(",
        "    stream=True,",
        *_indented(_arguments(endpoint.client_chat)),
        ")",
        "for chunk in stream:",
        "    if chunk.choices:",
        "        delta = chunk.choices[0].delta",
        *(f"        {line}" for line in _piece(endpoint)),
    )
    return Block("request with Python, streamed", "\n".join(lines), "python")


def tool_block(endpoint: Endpoint) -> Block:
    """Write a conversation with a tool: the request that offers it, and the one that brings its result."""
    chat = dict(endpoint.tool_chat)
    messages = chat.pop("messages")
    lines = (
        *_begin(endpoint),
        f"messages = {python_literal(messages)}",
        "request = dict(",
        *_indented(_arguments(chat)),
        ")",
        "message = client.chat.completions.create(messages=messages, **request).choices[0].message",
        "print(message.tool_calls)",
        "if message.tool_calls:",
        "    messages.append(message)",
        "    for call in message.tool_calls:  # call.function has name and arguments, the latter as JSON",
        '        messages.append({"role": "tool", "tool_call_id": call.id, "content": "12 degrees, rain"})',
        "    answer = client.chat.completions.create(messages=messages, **request)",
        "    print(answer.choices[0].message.content)",
    )
    return Block("request with a tool", "\n".join(lines), "python")


def image_block(endpoint: Endpoint) -> Block:
    """Write a request about a picture of the client's own, which travels in the request."""
    chat = dict(endpoint.client_chat) | {"messages": None}
    lines = (
        *_begin(endpoint, "base64"),
        'with open("picture.png", "rb") as file:',
        "    picture = base64.b64encode(file.read()).decode()",
        "content = [",
        '    {"type": "image_url", "image_url": {"url": "data:image/png;base64," + picture}},',
        f'    {{"type": "text", "text": {python_literal(_ABOUT_PICTURE)}}},',
        "]",
        *_ask(_arguments(chat, messages='[{"role": "user", "content": content}]')),
        "print(answer.choices[0].message.content)",
    )
    return Block("request with an image", "\n".join(lines), "python")


def _begin(endpoint: Endpoint, *modules: str) -> Iterator[str]:
    used = (*modules, *(["os"] if endpoint.asks_address else []))
    yield from (f"import {module}" for module in used)
    yield from [""] if used else []
    yield from ("from openai import OpenAI", "")
    address = _expression(join(endpoint.url, "/v1"))
    yield "client = OpenAI("
    yield from _indented(iter((f"base_url={address}", 'api_key="none"', f"timeout={_PATIENCE_S}")))
    yield ")"


def _ask(arguments: Iterator[str]) -> Iterator[str]:
    yield "answer = client.chat.completions.create("
    yield from _indented(arguments)
    yield ")"


def _indented(arguments: Iterator[str]) -> Iterator[str]:
    for argument in arguments:
        yield from (f"    {line}" for line in f"{argument},".splitlines())


def _piece(endpoint: Endpoint) -> Iterator[str]:
    if endpoint.reasoning:
        yield 'thought = getattr(delta, "reasoning", None) or getattr(delta, "reasoning_content", None)'
    piece = "thought or delta.content" if endpoint.reasoning else "delta.content"
    yield f'print({piece} or "", end="", flush=True)'


def _printed(endpoint: Endpoint) -> Iterator[str]:
    if not endpoint.reasoning:
        yield "print(answer.choices[0].message.content)"
        return
    yield "message = answer.choices[0].message"
    yield 'print(getattr(message, "reasoning", None) or getattr(message, "reasoning_content", None))'
    yield "print(message.content)"


def _arguments(chat: Mapping[str, JsonValue], **expressions: str) -> Iterator[str]:
    """Write the arguments of a request; `expressions` stand for values that the program computes."""
    own = {"model", "messages", "tools", *_OWN_PARAMETERS}
    for name, value in chat.items():
        if name in own:
            yield f"{name}={expressions.get(name) or _laid_out(value, len(name))}"
    others: Mapping[str, JsonValue] = MappingProxyType(
        {name: value for name, value in chat.items() if name not in own}
    )
    if others:
        yield f"extra_body={_laid_out(dict(others), len('extra_body'))}"


def _laid_out(value: JsonValue, before: int, indent: str = "") -> str:
    """Write JSON as Python over as many lines as keep it from running off a page."""
    line = python_literal(value)
    if before + len(line) <= _WIDTH or not value or not isinstance(value, dict | list):
        return line
    inner = indent + "    "
    width = len(inner)
    if isinstance(value, dict):
        opening, closing = "{", "}"
        keys = ((python_literal(key), each) for key, each in value.items())
        parts = [f"{key}: {_laid_out(each, width + len(key) + 3, inner)}" for key, each in keys]
    else:
        opening, closing = "[", "]"
        parts = [_laid_out(each, width + 1, inner) for each in value]
    return "\n".join((opening, *(f"{inner}{part}," for part in parts), f"{indent}{closing}"))


def python_literal(value: JsonValue) -> str:
    """Write JSON as Python does; its strings are those of JSON."""
    match value:
        case bool() | None:
            return repr(value)
        case dict():
            return (
                "{"
                + ", ".join(f"{python_literal(key)}: {python_literal(each)}" for key, each in value.items())
                + "}"
            )
        case list():
            return "[" + ", ".join(python_literal(each) for each in value) + "]"
        case _:
            # An escape of JSON is two halves of a character for Python, so there are none.
            return json.dumps(value, ensure_ascii=False)


def _expression(value: Value) -> str:
    """Write a value as Python: text, and what the environment has for the site's parts."""
    parts = [_part(part) for part in value if not isinstance(part, Inherited)]
    return " + ".join(parts)


def _part(part: str | Site) -> str:
    if isinstance(part, str):
        return python_literal(part)
    return f'os.environ.get({python_literal(part.variable)}, "{_HERE}")'
