"""A setting that is given by its flag and inside a JSON flag.

## Why

Some keys of the JSON flags have a flag of their own. vLLM does not choose between the two.

## Fix

Keep one of them.

## References

- vLLM 0.33.0 `vllm/engine/arg_utils.py:2745`, `:2795`, `:2835`, `:2842`, `:2118`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import mapping
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

PAIRS = (
    ("attention_backend", "attention_config", "backend"),
    ("enable_flashinfer_autotune", "kernel_config", "enable_flashinfer_autotune"),
    ("cudagraph_capture_sizes", "compilation_config", "cudagraph_capture_sizes"),
    ("max_cudagraph_capture_size", "compilation_config", "max_cudagraph_capture_size"),
    ("spec_method", "speculative_config", "method"),
    ("spec_model", "speculative_config", "model"),
    ("spec_tokens", "speculative_config", "num_speculative_tokens"),
)


@vllm_rule("ENG206", "said-twice", source="engine/arg_utils.py:2745")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare flags with keys."""
    for flag, config, key in PAIRS:
        spoken = mapping(view, config)
        # The speculative keys exclude each other even where they are null.
        inside = key in spoken if config == "speculative_config" else spoken.get(key) is not None
        if view.arguments[flag] is not None and inside:
            message = f"{flag.replace('_', '-')} and {config.replace('_', '-')} {key} say the same twice"
            yield refuse(view, flag, message, "keep one of them")
