"""Text that stays where it is put: in a comment, in a table, in code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launchplan.engines import Inherited
from launchplan.errors import TemplateError
from launchplan.render.block import Block
from launchplan.render.filters import (
    block,
    code,
    comment,
    fence,
    json_text,
    literal,
    longest_ticks,
    md,
    number,
    prose,
    yaml_scalar,
)
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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("vllm/vllm-openai:v0.33.0", "vllm/vllm-openai:v0.33.0"),
        ("--tensor-parallel-size", "--tensor-parallel-size"),
        ("-c", '"-c"'),
        ("8", '"8"'),
        ("1e3", '"1e3"'),
        ("True", '"True"'),
        ("null", '"null"'),
        ("", '""'),
        ("a: b", '"a: b"'),
        ("a # b", '"a # b"'),
        ('{"a": "it\'s"}', "'{\"a\": \"it''s\"}'"),
        ('a\n"b"', '"a\\n\\"b\\""'),
        ("\x7f\x85\u2028", '"\\x7f\\x85\\u2028"'),
    ],
)
def test_scalars_of_yaml(text: str, shown: str) -> None:
    assert yaml_scalar(text) == shown


def test_lines_that_stand_deeper() -> None:
    assert block(Block("a:\n\n  - b\n", 2)) == "  a:\n\n    - b"
    assert (number(8), literal("A=\x85")) == ("8", "A=\x85")
    with pytest.raises(TemplateError, match="several lines where one belongs"):
        literal("a\nb")
