"""The context is longer than the model's window.

## Why

Both engines compare the asked length with the one that they derive from the model's configuration: its
positions, times the rope factor where the positions do not include it. A longer one is refused, because
positions beyond the window give garbage unless the model was made for it.

## Fix

Lower `max_model_len`. A model that is documented to stretch wants both the override of its configuration and
the engine's switch: `hf_overrides: {max_position_embeddings: …}` and `VLLM_ALLOW_LONG_MAX_MODEL_LEN: "1"`, or
`SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN: "1"`.

## References

- vLLM 0.33.0 `vllm/config/model.py:2680`
- SGLang 0.5.23 `arg_groups/model_override_base.py:213`, `configs/model_config.py`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.given import serve_value, token_count, variable_on
from launchplan.rules.rule import ERROR, Violation, rule

SWITCHES = {"vllm": "VLLM_ALLOW_LONG_MAX_MODEL_LEN", "sglang": "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN"}


@rule(
    "ENG108",
    "length-fits-window",
    severity=ERROR,
    source={
        "vllm": "vllm/config/model.py:2680 (0.33.0)",
        "sglang": "sglang/srt/arg_groups/model_override_base.py:213 (0.5.23)",
    },
    at="config",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the asked length with the derived one."""
    window = _window(pool)
    value, path = serve_value(pool, "max_model_len")
    length = token_count(value)
    switch = SWITCHES[pool.deployment.engine]
    if window is None or length is None or length <= window or variable_on(pool, switch):
        return
    message = f"max_model_len {length} exceeds the model's window of {window} tokens"
    yield Violation(
        message, path, f'use {window} or less; where the model is made for more, set env {switch}: "1"'
    )


def _window(pool: ResolvedPool) -> int | None:
    model = pool.architecture
    if model is None or model.derived_max_model_len is None:
        return None
    if not model.known and model.rope is not None:
        return None  # what a scaled window means, the model class says
    rope = model.rope
    # SGLang counts a rope factor in unless the original length is written beside it; vLLM goes by the type.
    stretched = pool.deployment.engine == "sglang" and rope and not rope.original_max_position_embeddings
    factor = rope.factor if rope and stretched and rope.factor else 1
    return int(max(model.derived_max_model_len, model.derived_max_model_len * factor))
