"""Ready, smoke, load test: the scripts of the bundle, or the plain requests where it has none."""

from __future__ import annotations

import json
from collections.abc import Iterator

from launchplan.engines import Launch
from launchplan.engines.commands import bare_text, shell_word
from launchplan.render.runbook.blocks import Block, Step
from launchplan.render.runbook.client import base_url
from launchplan.render.shell.bench import Bench
from launchplan.render.shell.endpoint import Endpoint


def scripted_checks(launch: Launch, endpoint: Endpoint) -> Iterator[Step]:
    """Give the scripts that ask the API, in order, with what they print."""
    url = bare_text(endpoint.url)
    yield Step(
        "It is ready when it generates:",
        Block("wait until it is ready", "./wait-ready.sh"),
        (f"ready after ... s: {url} generates text",),
    )
    yield Step(
        "Each thing that clients will want:",
        Block("smoke test", "./smoke.sh"),
        tuple(_smoke(launch, endpoint)),
    )


def _smoke(launch: Launch, endpoint: Endpoint) -> Iterator[str]:
    yield f"ok    /v1/models lists {json.dumps(launch.model_name, ensure_ascii=False)}"
    yield 'ok    /v1/chat/completions generates "..."'
    if endpoint.reasoning:
        yield 'ok    its reasoning stands apart from the answer: "...'
    if endpoint.tools:
        yield "ok    a request with a tool: the tool is called"
        yield "ok    a request that demands the tool: the tool is called"


def bench_command(endpoint: Endpoint, bench: Bench) -> Block:
    """Write the load test as one command, for a bundle without scripts and for other loads."""
    words = " ".join(shell_word(word) for word in bench.command)
    lines = [f"{words} --base-url {base_url(endpoint)}"]
    lines += ["    " + " ".join(shell_word(word) for word in flag) for flag in bench.flags]
    return Block("load test", " \\\n".join(lines))
