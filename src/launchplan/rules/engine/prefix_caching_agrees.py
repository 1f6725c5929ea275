"""`serve.prefix_caching` and `disable-radix-cache` contradict each other.

## Why

SGLang keeps common prefixes unless `--disable-radix-cache` is given. `prefix_caching: true` is what it does
by itself and becomes no flag, so a raw `disable-radix-cache` switches off what the recipe asks for; and a raw
`false` does not take back what `prefix_caching: false` has switched off.

## Fix

Keep `serve.prefix_caching` and remove the raw flag.

## References

- SGLang 0.5.23 `--disable-radix-cache`, a switch without an opposite
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.catalog import Ambiguous
from launchplan.resolve import ResolvedPool
from launchplan.rules.flag_names import taken_for
from launchplan.rules.rule import ERROR, Violation, rule


@rule("ENG115", "prefix-caching-agrees", severity=ERROR, engines=("sglang",))
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the typed key with the raw switch."""
    wanted, facts = pool.serve.prefix_caching, pool.deployment.facts
    if wanted is None or facts is None:
        return
    for key, value in pool.args.items():
        flag = taken_for(facts, key)
        if flag is None or isinstance(flag, Ambiguous) or flag.dest != "disable_radix_cache":
            continue
        if value is wanted:
            asked, raw = str(wanted).lower(), str(value).lower()
            message = f"prefix_caching is {asked} and disable-radix-cache {raw}: they contradict each other"
            yield Violation(message, pool.arg_paths[key], "remove disable-radix-cache")
