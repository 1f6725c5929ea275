"""Answers that are kept by what was asked about, told apart by identity: comparing takes long."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Concatenate, ParamSpec, TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
Rest = ParamSpec("Rest")
_MOST = 1024
"""Answers of one function; beyond that all are given up."""


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


def kept_by_identity(
    compute: Callable[Concatenate[Asked, Rest], Answer],
) -> Callable[Concatenate[Asked, Rest], Answer]:
    """Keep what a function says of each frozen value, and of the hashable ones that follow it.

    The value stays with its answer, so that its identity stays its own.
    """
    held: dict[tuple[object, ...], tuple[Asked, Answer]] = {}

    def answer(asked: Asked, /, *rest: Rest.args, **named: Rest.kwargs) -> Answer:
        key = (id(asked), *rest, *named.items())
        found = held.get(key)
        if found is None:
            if len(held) >= _MOST:
                held.clear()
            found = held[key] = asked, compute(asked, *rest, **named)
        return found[1]

    return update_wrapper(answer, compute)
