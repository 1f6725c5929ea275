"""Answers that are kept for the last question alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


def kept_for_last(compute: Callable[[Asked], Answer]) -> Callable[[Asked], Answer]:
    """Keep what a function says of a frozen value until it is asked about another one.

    The rules of one plan ask about the same view in turn, so that one answer is enough. Values are told
    apart by identity, for comparing them takes long; the last one is kept with its answer, since an identity
    is used again once its object is gone.
    """
    last: list[tuple[Asked, Answer]] = []

    def answer(asked: Asked) -> Answer:
        for known, kept in last:  # taken once: another thread may put its own there meanwhile
            if known is asked:
                return kept
        found = compute(asked)
        last[:] = [(asked, found)]
        return found

    return update_wrapper(answer, compute)
