"""Buckets of a token histogram that can't be read.

## Why

`--prompt-tokens-buckets` and `--generation-tokens-buckets` take `default`, `tse MIDDLE BASE COUNT` or
`custom VALUE…`.

## Fix

Leave the flag out, or write one of the three forms.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:384`-`:434`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule
from launchplan.rules.wording import shown

FLAGS = ("prompt_tokens_buckets", "generation_tokens_buckets")
TSE_WORDS = 4


@sglang_rule("ENG371", "metric-buckets", source="validation_hook.py:384")
def check(view: SglangView) -> Iterator[Violation]:
    """Read the buckets."""
    for name in FLAGS:
        words = view.arguments[name]
        problem = _problem(words) if words else None
        if problem is not None:
            flag = name.replace("_", "-")
            yield refuse(view, name, f"{flag} {problem}", f"leave {flag} out, or write: {flag} default")


def _problem(words: Sequence[str]) -> str | None:
    kind, rest = words[0], words[1:]
    if kind == "default":
        return "default takes no numbers" if rest else None
    if kind not in ("tse", "custom"):
        return f"{shown(kind)} is none of default, tse, custom"
    try:
        numbers = [float(word) for word in rest]
        whole = int(rest[2]) if kind == "tse" and len(words) == TSE_WORDS else 1
    except ValueError:
        return f"{kind} takes numbers, not {shown(' '.join(rest))}"
    if kind == "tse":
        if len(words) != TSE_WORDS:
            return f"tse takes middle, base and count, not {len(rest)} numbers"
        return (
            None
            if numbers[0] > 0 and numbers[1] > 1 and whole > 0
            else "tse needs middle > 0, base > 1, count > 0"
        )
    if not numbers or len(set(numbers)) != len(numbers) or min(numbers) < 0:
        return "custom takes different numbers from 0"
    return None
