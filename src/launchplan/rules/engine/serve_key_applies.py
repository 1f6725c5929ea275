"""A `serve` key that this engine has no flag for.

## Why

Some keys mean something to one engine only: `gpu_memory_utilization` is vLLM's, `mem_fraction_static`
SGLang's. For the other engine the key changes nothing, which is seldom what was meant.

## Fix

Use the other engine's key, or remove it.

## References

- launchplan's tables of `serve` flags
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import BY_NAME
from launchplan.recipe.schema import Serve
from launchplan.resolve import ResolvedPool
from launchplan.rules.rule import WARNING, Violation, rule

COUNTERPARTS = {
    "gpu_memory_utilization": "mem_fraction_static",
    "mem_fraction_static": "gpu_memory_utilization",
    "max_num_batched_tokens": "chunked_prefill_size",
    "chunked_prefill_size": "max_num_batched_tokens",
}


@rule("ENG104", "serve-key-applies", severity=WARNING)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look for keys that become no flag."""
    engine = pool.deployment.engine
    for key in Serve.model_fields:
        if key in BY_NAME[engine].serve_keys or getattr(pool.serve, key) in (None, [], {}):
            continue
        other = COUNTERPARTS.get(key)
        fix = f"{engine} has {other} for it" if other in BY_NAME[engine].serve_keys else "remove it"
        yield Violation(f"serve.{key} is nothing that {engine} has a flag for", pool.path("serve", key), fix)
