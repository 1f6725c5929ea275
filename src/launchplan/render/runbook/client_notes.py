"""What somebody who writes a client has to know of this model and these requests."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import JsonValue

from launchplan.catalog import Thinking
from launchplan.catalog.signals import Signals
from launchplan.engines import Launch
from launchplan.engines.media import takes
from launchplan.render.runbook.client import python_literal
from launchplan.render.shell.endpoint import Endpoint
from launchplan.resolve import Deployment
from launchplan.units import choice_text

_THOUGHTS = {"vllm": "reasoning", "sglang": "reasoning_content"}
"""Of vLLM 0.33.0 (chat_completion/protocol.py:86) and SGLang 0.5.23 (openai/protocol.py:1296)."""
_DEFAULTS = "--default-chat-template-kwargs"


def client_notes(launch: Launch, endpoint: Endpoint, known: Signals | None) -> Iterator[str]:
    """Say how thoughts come and are switched, how answers stream and pictures travel, what else is served."""
    deployment = launch.layout.resolved.deployment
    model = deployment.model
    if model is not None and model.reasoning_effort:
        first, *others = model.reasoning_effort
        more = f"; the model takes {choice_text(others)}, too" if others else ""
        yield f"`reasoning_effort` is {first} by default{more}."
    if endpoint.reasoning:
        yield (
            f"The thoughts come in `{_THOUGHTS[deployment.engine]}` beside the answer in `content`. "
            "`max_tokens` counts both: an answer that is empty has none left."
        )
    yield from _parsers_off(endpoint, deployment)
    if model is not None and model.thinking is not None:
        yield from _switch(model.thinking, deployment)
    if endpoint.reachable:
        yield '`"stream": true` in a request (and `-N` for curl) gives the answer as it comes.'
    if endpoint.images:
        yield (
            "A picture travels in the request as base64, or as an address that the server reaches: "
            '`{"url": "https://..."}`.'
        )
        if takes(launch, "video"):
            yield 'A video goes the same way: `{"type": "video_url", "video_url": {"url": "https://..."}}`.'
    if (
        endpoint.reachable
        and endpoint.direct
        and known is not None
        and known.label == deployment.engine_label
    ):
        yield f"The server speaks {', '.join(f'`{each}`' for each in known.apis)}, too."


def _parsers_off(endpoint: Endpoint, deployment: Deployment) -> Iterator[str]:
    """Say what the model could do for clients if its parsers were on."""
    known = deployment.model.parsers.get(deployment.engine) if deployment.model is not None else None
    if known is None:
        return
    if known.reasoning and not endpoint.reasoning:
        yield (
            "No reasoning parser is on, so thoughts stand in `content`; "
            f"`serve: {{features: [reasoning]}}` in the recipe sets `{known.reasoning}`."
        )
    if known.tools and not endpoint.tools:
        yield (
            "No parser of tool calls is on, so a call would stand in `content`; "
            f"`serve: {{features: [tools]}}` in the recipe sets `{known.tools}`."
        )


def _switch(thinking: Thinking, deployment: Deployment) -> Iterator[str]:
    """Tell the switch as JSON, as Python, and for all requests where the engine has a flag for it."""
    on, off = (_asked(thinking, value) for value in (thinking.enabled, thinking.disabled))
    match thinking.by_default:
        case True:
            yield f"The model thinks by default; `{off}` in a request makes it answer at once."
        case False:
            yield f"The model does not think by default; `{on}` in a request makes it."
        case None:
            yield f"`{on}` in a request makes the model think, `{off}` makes it answer at once."
    other = thinking.enabled if thinking.by_default is False else thinking.disabled
    asked: JsonValue = {thinking.keyword: other}
    said = f"In Python that is `extra_body={python_literal({'chat_template_kwargs': asked})}`"
    if deployment.facts is not None and deployment.facts.find(_DEFAULTS) is not None:
        value = json.dumps(other)
        said += (
            f"; for every request that says nothing, `args: {{{_DEFAULTS.removeprefix('--')}: "
            f"{{{thinking.keyword}: {value}}}}}` in the recipe"
        )
    yield f"{said}."


def _asked(thinking: Thinking, value: JsonValue) -> str:
    """Write what a request holds for one side of the switch."""
    return json.dumps({"chat_template_kwargs": {thinking.keyword: value}})[1:-1]
