"""An environment variable with a value that SGLang passes over.

## Why

SGLang warns about a value that it can't read, and goes on with the default: what the variable should have
changed stays as it was.

## Fix

Give the value that it wants.

## References

- SGLang 0.5.23 `sglang/srt/environ.py`: `EnvField.get`, `EnvBool`, `EnvInt`, `EnvFloat`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.variable_values import wrong_values
from launchplan.rules.wording import shown


@rule(
    "ENG117",
    "variable-ignored",
    severity=WARNING,
    engines=("sglang",),
    source="sglang/srt/environ.py",
    at="run",
)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Read each variable as the release does."""
    for name, value, wanted, path in wrong_values(resolved):
        message = f"{name} is {shown(value)} and is passed over: it wants {wanted}"
        yield Violation(message, path, f"give it {wanted}")
