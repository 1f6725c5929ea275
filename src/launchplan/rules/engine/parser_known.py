"""A parser that this engine version does not have.

## Why

Parsers are registered by name, and releases add them. vLLM looks the tool parser up only when the API server
comes up, after the weights are loaded, and the reasoning parser when it makes its configuration; SGLang
refuses both at once.

## Fix

Use a name of this version, or a newer version; `tool-parser-plugin` under `args` brings one of your own.

## References

- vLLM 0.33.0 names shown for `--tool-call-parser`, `vllm/reasoning/__init__.py` and
  `vllm/reasoning/abs_reasoning_parsers.py:256`; SGLang 0.5.23 choices
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from launchplan.engines.flags import parser_of, raw_flags
from launchplan.resolve import Deployment, ResolvedPool
from launchplan.rules.flag_names import later_release, missing_name, names_of
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import cut, shown
from launchplan.units import choice_text

FLAGS = {"tools": "--tool-call-parser", "reasoning": "--reasoning-parser"}
KEYS = {"tools": "tool_parser", "reasoning": "reasoning_parser"}
READ_WITH_CONFIG = "vllm/reasoning/abs_reasoning_parsers.py:256 (0.33.0)"
"""Where vLLM looks its reasoning parser up, long before the tool parser."""
CLOSE = 0.6
SHOWN = 12
"""Names that are listed where none is close."""
PLUGINS = {"tools": "tool_parser_plugin", "reasoning": "reasoning_parser_plugin"}


@rule(
    "ENG106",
    "parser-known",
    severity=ERROR,
    source={"vllm": "names of --tool-call-parser", "sglang": "choices of the parser flags"},
    at={"vllm": "run", "sglang": "parse"},
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look each parser up among those of this version."""
    for feature, flag in FLAGS.items():
        name = parser_of(pool, feature)
        if (
            name is None
            or name.lower() == "none"
            or PLUGINS[feature] in raw_flags(pool)
            or not missing_name(pool.deployment, flag, name)
        ):
            continue
        own = getattr(pool.serve, KEYS[feature]) is not None
        path = pool.path("serve", KEYS[feature] if own else "features")
        fix = _cure(pool.deployment, flag, name)
        what = "tool" if feature == "tools" else "reasoning"
        message = f"{pool.deployment.engine_label} has no {what} parser {shown(name)}"
        if (pool.deployment.engine, feature) == ("vllm", "reasoning"):
            yield Violation(message, path, fix, READ_WITH_CONFIG, "config")
        else:
            yield Violation(message, path, fix)


def _cure(deployment: Deployment, flag: str, name: str) -> str:
    """Name close parsers of this version, a later version that has this one, or what there is."""
    known = names_of(deployment, flag)
    near = get_close_matches(name, known, n=2, cutoff=CLOSE)
    words = [f"use {choice_text(near)}"] if near else []
    later = later_release(deployment, flag, name)
    if later is not None:
        words.append(f"{deployment.engine} {later}, which has {cut(name)}")
    if words:
        return ", or ".join(words)
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    return f"it has {', '.join(known[:SHOWN])}{more}"
