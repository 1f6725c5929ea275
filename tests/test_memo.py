"""Answers are kept by the object that was asked about, not by what equals it."""

from __future__ import annotations

from launchplan.memo import kept_by_identity, kept_for_last


def test_the_last_answer_is_kept_and_no_other() -> None:
    asked: list[int] = []

    @kept_for_last
    def length(of: list[int]) -> int:
        asked.append(id(of))
        return len(of)

    one, equal = [1, 2], [1, 2]
    assert (length(one), length(one), len(asked)) == (2, 2, 1)
    assert (length(equal), len(asked)) == (2, 2)
    assert (length(one), len(asked)) == (2, 3)
    assert length.__name__ == "length"


def test_an_answer_is_kept_for_each_object_and_each_further_value() -> None:
    asked: list[tuple[int, str]] = []

    @kept_by_identity
    def joined(of: list[str], sign: str) -> str:
        asked.append((id(of), sign))
        return sign.join(of)

    one, equal = ["a", "b"], ["a", "b"]
    assert [joined(one, "-"), joined(one, "+"), joined(equal, "-"), joined(one, "-")] == [
        "a-b",
        "a+b",
        "a-b",
        "a-b",
    ]
    assert asked == [(id(one), "-"), (id(one), "+"), (id(equal), "-")]


def test_what_was_asked_about_stays_so_that_no_other_takes_its_identity() -> None:
    @kept_by_identity
    def first(of: list[int]) -> int:
        return of[0]

    assert [first([number]) for number in range(3000)] == [*range(3000)]
