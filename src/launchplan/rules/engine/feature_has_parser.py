"""A feature without a parser.

## Why

Tool calls and reasoning text are cut out of the model's output by a parser that fits the model. Neither the
recipe nor the catalog names one for this engine, so the feature would silently not be there.

## Fix

Name `serve.tool_parser` or `serve.reasoning_parser`.

## References

- vLLM 0.33.0 `vllm/entrypoints/common/cli_args.py:554`: `--enable-auto-tool-choice` wants a parser
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.flags import parser_of, raw_flags
from launchplan.resolve import ResolvedPool
from launchplan.rules.rule import ERROR, Violation, rule

KEYS = {"tools": ("tool_parser", "tool_call_parser"), "reasoning": ("reasoning_parser", "reasoning_parser")}
"""The recipe's key and the parser destination of each feature."""


@rule(
    "ENG105",
    "feature-has-parser",
    severity=ERROR,
    source={"vllm": "vllm/entrypoints/common/cli_args.py:554 (0.33.0)"},
    at="config",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look for the parser of each feature."""
    given = raw_flags(pool)
    for index, feature in enumerate(pool.serve.features):
        key, destination = KEYS[feature]
        if parser_of(pool, feature) is None and destination not in given:
            engine = pool.deployment.engine
            message = f"no {feature} parser is known for this model and {engine}"
            yield Violation(message, pool.path("serve", "features", index), f"name it: serve.{key}")
