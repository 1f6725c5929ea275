"""CUDA graph settings that SGLang does not take.

## Why

`--cuda-graph-config` names a backend a phase, of three; the largest context of prefill graphs is a positive
number of tokens within the model's window.

## Fix

Use `full`, `breakable` or `disabled`, and a context of the model or less.

## References

- SGLang 0.5.23 `arg_groups/cuda_graph_hook.py:410`, `:423`; `model_executor/cuda_graph_config.py:50`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule
from launchplan.rules.wording import shown

KEYS = {
    "decode": ("backend", "max_bs", "bs"),
    "prefill": (
        "backend", "max_bs", "bs", "max_context_size", "max_seq_len", "full_prefill_max_req",
        "full_prefill_prefix_chunk_tokens",
    ),
}  # fmt: skip
"""Keys of `--cuda-graph-config` by phase (`cuda_graph_config.py:78`)."""
BACKENDS = ("full", "breakable", "disabled")
CONTEXT = "cuda_graph_prefill_max_context"


@sglang_rule("ENG312", "cuda-graph-settings", source="cuda_graph_hook.py:410")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the settings with what exists."""
    held, given = view.settings, view.given
    yield from _unknown(view)
    if given is None:
        return
    for phase, graph in (("decode", held.decode_graph), ("prefill", held.prefill_graph)):
        if graph.backend not in BACKENDS:
            message = f"{phase} graph backend {graph.backend} does not exist"
            yield refuse(view, "cuda_graph_config", message, "use full, breakable or disabled")
    asked, page = held.prefill_graph.max_context, held.page_size or 1
    if asked is None:
        return
    window = held.context_length or given.model.context_length
    aligned = -(-asked // page) * page
    if asked <= 0:
        yield refuse(view, CONTEXT, f"prefill graph context is {asked}, 1 is the least", "leave it out")
    elif window and aligned > window:
        message = f"prefill graph context {aligned} is longer than the model's {window}"
        yield refuse(view, CONTEXT, message, f"use {window // page * page}")


def _unknown(view: SglangView) -> Iterator[Violation]:
    """Look for phases and keys that the parser refuses (`cuda_graph_config.py:246`)."""
    config = view.arguments["cuda_graph_config"]
    if config is None:
        return
    problem = _first_unknown(config)
    if problem is not None:
        fix = "use decode and prefill with backend, max_bs and bs"
        yield Violation(f"cuda-graph-config {problem}", view.path("cuda_graph_config"), fix, at="parse")


def _first_unknown(config: object) -> str | None:
    if not isinstance(config, Mapping):
        return "is no JSON object"
    for phase, settings in config.items():
        if phase not in KEYS:
            return f"has an unknown phase {shown(phase)}"
        if not isinstance(settings, Mapping):
            return f"{phase} is no JSON object"
        for key in settings:
            if key not in KEYS[phase]:
                return f"{phase} has an unknown key {shown(key)}"
    return None
