"""One answer is kept, for the object that was asked about last."""

from __future__ import annotations

from launchplan.memo import kept_for_last


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
