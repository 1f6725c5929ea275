"""An attention backend that this version does not have.

## Why

Backends come and go: `XFORMERS` is gone, most of the latent-attention backends are new. The name is looked
up before anything is loaded, in capitals or not.

## Fix

Use a name of this version, or leave it out: vLLM takes the best one that fits.

## References

- vLLM 0.33.0 `vllm/v1/attention/backends/registry.py:28`
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from launchplan.engines.vllm.settings.reading import mapping, speculative, text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import lists_all, models, refuse, vllm_rule
from launchplan.rules.wording import shown


@vllm_rule("ENG205", "attention-backend-known", source="v1/attention/backends/registry.py:28")
def check(view: VllmView) -> Iterator[Violation]:
    """Look each name up."""
    facts = models(view)
    known = facts.attention_backends
    for flag, name in _names(view) if lists_all(facts, view) else ():
        if not isinstance(name, str) or name.lower() == "auto" or name.upper() in known:
            continue
        near = get_close_matches(name.upper(), known, n=1, cutoff=0.7)
        fix = f"use {near[0]}, or leave it out" if near else "leave it out"
        yield refuse(view, flag, f"there is no attention backend {shown(name)}", fix)


def _names(view: VllmView) -> Iterator[tuple[str, object]]:
    yield "attention_backend", text(view, "attention_backend")
    yield "attention_config", mapping(view, "attention_config").get("backend")
    yield "speculative_config", (speculative(view) or {}).get("attention_backend")
    if view.settings.model.multimodal:
        yield "mm_encoder_attn_backend", text(view, "mm_encoder_attn_backend")
