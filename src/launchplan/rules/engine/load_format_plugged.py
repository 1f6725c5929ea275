"""A way to load weights that a plug-in has to bring.

## Why

`--load-format` takes any name, since plug-ins may bring loaders of their own: `gguf` comes with
vllm-gguf-plugin since vLLM 0.24.0, `bitsandbytes` with vllm-bnb-plugin since 0.28.0. Without the plug-in
the workers stop.

## Fix

Install the plug-in in the image, or use a built-in loader.

## References

- vLLM 0.33.0 `vllm/model_executor/model_loader/__init__.py:47`, `:69`, `:126`; extra `extra-quant` of its
  metadata; vllm-project/vllm pull requests 39583, 39612 and 43529
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from launchplan.engines.vllm.settings.reading import text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import WARNING, Violation
from launchplan.rules.vllm import PLUGINS, names_are_known, refuse, vllm_rule
from launchplan.rules.wording import shown

LOADERS = (
    "auto", "hf", "dummy", "fastsafetensors", "instanttensor", "ipc_cache", "mistral", "modelexpress",
    "npcache", "pt", "runai_streamer", "runai_streamer_sharded", "safetensors", "sharded_state", "tensorizer",
)  # fmt: skip
SOURCE = "model_executor/model_loader/__init__.py:126"
LIKE = 0.9


@vllm_rule(
    "ENG411", "load-format-plugged", source=SOURCE, at="worker", severity=WARNING, about=("load_format",)
)
def check(view: VllmView) -> Iterator[Violation]:
    """Look for a name that is none of the built-in ones, nor nearly one."""
    name = (text(view, "load_format") or "auto").lower()
    if name in LOADERS or not names_are_known(view):
        return
    if not get_close_matches(name, LOADERS, n=1, cutoff=LIKE):
        plugin = PLUGINS.get(name)
        fix = f"install {plugin}" if plugin else "install it, or leave load-format out"
        yield refuse(view, "load_format", f"load-format {shown(name)} needs a plug-in that brings it", fix)
