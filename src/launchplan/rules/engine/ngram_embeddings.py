"""Settings of n-gram embeddings for a model that has none.

## Why

`--engram-config` places the tables of n-gram embeddings, which few models have; the configuration is refused
for any other. Shared tables live in host memory, and belong to several data parallel ranks.

## Fix

Remove `engram-config`.

## References

- vLLM 0.33.0 `vllm/config/engram.py:16`, `:61`, `:80`, `:99`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import mapping
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

CLASSES = frozenset({"DeepseekV41ForCausalLM", "Qwen4ExpForCausalLM", "Qwen4ExpForConditionalGeneration"})


@vllm_rule("ENG226", "ngram-embeddings", source="config/engram.py:80", about=("engram_config",))
def check(view: VllmView) -> Iterator[Violation]:
    """Look for a class that has such tables."""
    if view.arguments["engram_config"] is None:
        return
    config, name = mapping(view, "engram_config"), view.settings.model.name
    shared, host = config.get("dp_shared_memory"), bool(config.get("cpu_offload"))
    if shared and not host:
        yield refuse(
            view, "engram_config", "dp_shared_memory needs cpu_offload", source="config/engram.py:61"
        )
    elif config.get("use_thp") and (not host or shared):
        message = "use_thp needs cpu_offload without dp_shared_memory"
        yield refuse(view, "engram_config", message, source="config/engram.py:63")
    elif name is not None and name not in CLASSES:
        yield refuse(view, "engram_config", f"engram-config is not for {name}", "remove engram-config")
    elif shared and view.settings.parallel.dp <= 1:
        message = "dp_shared_memory needs data parallel ranks"
        yield refuse(view, "engram_config", message, source="config/engram.py:99")
