"""The commands of a launch as people copy them, and as programs read them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from launchplan.engines import Launch, Process
from launchplan.engines.commands import bare_text, command_text, environment, exports


def commands_text(
    launch: Launch, processes: Sequence[Process], *, wrap: bool = False, env: bool = False
) -> str:
    """Print one command a process: the first one bare, each further one below a comment that names it."""
    blocks = []
    for index, process in enumerate(processes):
        lines = [] if index == 0 else [f"# {process_label(process)}"]
        lines += exports(launch, process) if env else ()
        lines.append(command_text(process, wrap=wrap))
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def commands_json(launch: Launch, processes: Iterable[Process]) -> str:
    """Print each process with its argument vector and environment; site values stand as `$NAME`."""
    listed = [
        {
            "name": process.name,
            "role": process.role,
            "node": process.node,
            **({"ray": [bare_text(word) for word in process.ray.argv]} if process.ray else {}),
            "argv": [bare_text(word) for word in process.argv],
            "env": {variable.name: bare_text(variable.value) for variable in environment(launch, process)},
            "port": process.port,
        }
        for process in processes
    ]
    return json.dumps(listed, indent=2) + "\n"


def process_label(process: Process) -> str:
    """Say what a process is: `node 1: follower`, `prefill-0: head`, `router`."""
    if process.role == "router":
        return process.name
    name = process.name.replace("-", " ") if process.role == "serve" else process.name
    return f"{name}: {'head' if process.node == 0 else 'follower'}"
