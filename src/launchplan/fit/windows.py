"""What the GPUs hold, where nobody asked for more: a shorter window, and fewer requests at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from launchplan.finding import Finding, Severity

LONG_WINDOW_TOKENS = 262_144
"""A longer window is not reserved unasked: concurrency pays for it."""
_TOO_LONG = "MEM203"
"""The rule that refuses a request of the longest length."""
_TOO_MANY = "MEM206"
"""The rule that refuses more requests than there are blocks for recurrent state."""
MAY_BE_TOO_MANY = "MEM207"
"""The rule that warns of them where the pool's interval has an end with fewer blocks."""
_SHORTEST_TOKENS = 4096
"""A window below this serves nobody; the refusal says more."""
_MOST_REQUESTS = 128
"""The next power of two below what vLLM takes unasked on a small GPU."""


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


def too_many(findings: Iterable[Finding]) -> bool:
    """Tell whether the number of requests is refused, and besides it at most the longest one."""
    refused = {each.code for each in findings if each.severity is Severity.ERROR}
    return _TOO_MANY in refused and refused <= {_TOO_MANY, _TOO_LONG}


def fewer_requests(wanted: int) -> Iterator[int]:
    """Count powers of two down to the requests that a workload wants at once."""
    requests = _MOST_REQUESTS
    while requests >= max(wanted, 1):
        yield requests
        requests //= 2
