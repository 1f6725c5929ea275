"""Text that stays where it is put: in a comment, in a table, in code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launchplan.engines import Inherited
from launchplan.render.filters import code, comment, fence, json_text, longest_ticks, md, prose
from launchplan.render.quoting import shell_word


@given(st.text())
def test_a_comment_is_one_line(text: str) -> None:
    shown = comment(text)
    assert len(shown.splitlines()) <= 1
    assert shown.isprintable()
    assert shown == comment(shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, with (brackets) - and more", "plain text, with (brackets) - and more"),
        ("kv_cache_dtype is _strong_ and __init__", r"kv_cache_dtype is \_strong\_ and \_\_init\_\_"),
        ("a | b\\c `d` *e* <f> [g](h) i&amp;", r"a \| b\\c \`d\` \*e\* \<f\> \[g\](h) i\&amp;"),
        ("# no heading", r"\# no heading"),
        ("- no item", r"\- no item"),
        ("+ no item", r"\+ no item"),
        ("12. no item", r"12\. no item"),
        ("12) no item", r"12\) no item"),
        ("2026-08-15", "2026-08-15"),
        ("~~~", r"\~~~"),
        ("=====", r"\====="),
        ("one\n\ntwo\r\n\tthree\u2028four\x07five", "one two three four five"),
        ("", ""),
    ],
)
def test_markdown(text: str, shown: str) -> None:
    assert md(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("run `a | b` or <c>", r"run `a \| b` or \<c\>"),
        ("`x`", "`x`"),
        ("one ` tick", r"one \` tick"),
        ("empty `` code", r"empty \`\` code"),
        ("# `x`", r"\# `x`"),
        ("a\n`b\nc`", "a `b c`"),
    ],
)
def test_sentences(text: str, shown: str) -> None:
    assert prose(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a", "`a`"), ("a`b", "``a`b``"), ("`a``", "``` `a`` ```"), ("", "`  `"), ("a\nb", "`a b`")],
)
def test_code(text: str, shown: str) -> None:
    assert code(text) == shown


def test_the_rest() -> None:
    assert (fence(4), longest_ticks("a``b`c"), longest_ticks("")) == ("````", 2, 0)
    assert json_text({"é": [1, None, "\n\0"]}) == '{"é": [1, null, "\\n\\u0000"]}'


def test_a_search_path_keeps_what_the_host_has() -> None:
    value = ("/opt/a b", Inherited("LD_LIBRARY_PATH"))
    assert shell_word(value) == '"/opt/a b${LD_LIBRARY_PATH:+:${LD_LIBRARY_PATH}}"'
