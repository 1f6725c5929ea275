"""Pipeline stages that an older release took and stumbled over.

## Why

vLLM 0.13 sized the KV cache of DeepSeek's sparse attention and then failed to lay it out on the later stages.

## Fix

Tensor parallel within a node and data parallel with experts between nodes, or a newer release.

## References

- vllm-project/vllm issue 31903
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.past import Past, refusals, size
from launchplan.rules.rule import WARNING, Violation, rule

PP = "pipeline_parallel_size"


def _sparse(view: EngineView) -> str | None:
    model, stages = view.architecture, size(view, PP)
    if model is None or model.family != "deepseek_sparse" or stages == 1:
        return None
    return f"pp {stages} with sparse attention was seen to fail in this release when the cache is laid out"


TABLE = (
    Past("vllm", "0.14.0", "vllm-project/vllm issue 31903", _sparse, PP, "use tp and dp, or a newer release",
         "0.13.0", "run"),
)  # fmt: skip


@rule("PAR407", "stages-of-release", severity=WARNING, engines=("vllm",))
def check(view: EngineView) -> Iterator[Violation]:
    """Look the stages up among what the release is known to stumble over."""
    yield from refusals(view, TABLE)
