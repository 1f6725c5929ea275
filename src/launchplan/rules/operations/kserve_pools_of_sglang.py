"""KServe hands requests between prefill and decode pools as vLLM wants it.

## Why

Under `kubernetes.api: kserve` KServe's scheduler takes the router's place, and a sidecar of each decode pod
hands prompts over. Its presets speak to vLLM's connectors. SGLang's pairs want a bootstrap room with each
request, which the sidecar sends only with `--connector=sglang`.

## Fix

Leave `kubernetes.api` out: the pools then are StatefulSets or LeaderWorkerSets with SGLang's router in front.
Or give the sidecar that flag in a preset of your own.

## References

- llm-d's routing sidecar, `--connector`; KServe's presets for disaggregated decode
- SGLang 0.5.23 `sglang/srt/disaggregation` (bootstrap room)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule


@rule("OPS112", "kserve-pools-of-sglang", severity=WARNING, engines=("sglang",))
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look for pools of SGLang under KServe."""
    cluster = resolved.deployment.cluster
    if cluster is None or cluster.value.kubernetes.api != "kserve":
        return
    if resolved.deployment.recipe.value.pools is not None:
        message = "kserve's presets hand requests between vLLM's pools; SGLang's want --connector=sglang"
        yield Violation(message, ("cluster", "kubernetes", "api"), "leave api out")
