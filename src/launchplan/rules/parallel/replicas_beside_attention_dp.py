"""Whole replicas and attention data parallelism in one server.

## Why

`--dp-size` makes whole replicas, `--attn-dp-size` splits attention inside one; SGLang starts one kind or
the other.

## Fix

Keep `--attn-dp-size`, and start further servers behind a router for replicas.

## References

- SGLang 0.5.23 `arg_groups/parallel_hook.py:288`; `arg_groups/model_override_base.py:206`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule


@sglang_rule("PAR302", "replicas-beside-attention-dp", source="parallel_hook.py:288")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for both kinds, before a model's own defaults merge them."""
    held = view.after("parallel.expert_weights_on_demand")
    if held.attn_dp_size > 1 and held.dp_size > 1:
        message = f"dp-size {held.dp_size} does not go with attn-dp-size {held.attn_dp_size}"
        yield refuse(view, "dp_size", message, "leave dp-size out")
