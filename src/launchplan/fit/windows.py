"""A window that the GPUs hold, where nobody asked for one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from launchplan.finding import Finding, Severity

LONG_WINDOW_TOKENS = 262_144
"""A longer window is not reserved unasked: concurrency pays for it."""
_TOO_LONG = "MEM203"
"""The rule that refuses a request of the longest length."""
_SHORTEST_TOKENS = 4096
"""A window below this serves nobody; the refusal says more."""


def usual_window(model_window: int | None) -> int | None:
    """Give the window that is taken unasked: the model's own, up to 262,144 tokens."""
    return LONG_WINDOW_TOKENS if (model_window or 0) > LONG_WINDOW_TOKENS else model_window


def too_long(findings: Iterable[Finding]) -> bool:
    """Tell whether the length of the longest request is all that is refused."""
    return {each.code for each in findings if each.severity is Severity.ERROR} == {_TOO_LONG}


def shorter_windows(window: int) -> Iterator[int]:
    """Count powers of two down from below a window."""
    tokens = 1 << max(window - 1, 0).bit_length() >> 1
    while tokens >= _SHORTEST_TOKENS:
        yield tokens
        tokens //= 2
