"""Words of a command line: split and expanded as bash does it, each at its place."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from launchplan.lint.shell import Script, Text, Token, shell_tokens

SPLIT = {
    "vllm serve m": ["vllm", "serve", "m"],
    "a \\\n b": ["a", "b"],
    "a b\\\nc": ["a", "bc"],
    """a '{"x": 1, "y": 2}' b""": ["a", '{"x": 1, "y": 2}', "b"],
    """a {"x":1,"y":2}""": ["a", "x:1", "y:2"],
    """a {"x":1}""": ["a", "{x:1}"],
    "a --b={1,2} c": ["a", "--b=1", "--b=2", "c"],
    "a {1,2}{3,4}": ["a", "13", "14", "23", "24"],
    "a {p,q}": ["a", "p", "q"],
    """a "{1,2}" {3,4}""": ["a", "{1,2}", "3", "4"],
    "a # b": ["a"],
    "a b#c": ["a", "b#c"],
    r"a \"b\" '\n'": ["a", '"b"', r"\n"],
    'a "b\\$c"': ["a", "b$c"],
    "a > log 2>&1 b < in": ["a", "b"],
    "a ''": ["a", ""],
}
EXPANDED = {
    "M=x; a $M": ["a", "x"],
    "M='x y'; a $M": ["a", "x", "y"],
    "M='x y'; a \"$M\"": ["a", "x y"],
    'A=(1 2); A+=(3); a "${A[@]}" b': ["a", "1", "2", "3", "b"],
    "a ${M:-d}": ["a", "d"],
    "a ${M:-'d e'}": ["a", "d e"],
    "a ${M:-$N} ": ["a", "?"],
    "M=; a ${M:-d}": ["a", "d"],
    "N=2; a ${M:-n$N}": ["a", "n2"],
    "M=1; a ${M:+--m $M}": ["a", "--m", "1"],
    "A=x; A=y; a $A": ["a", "y"],
    "export A=x B=y; a $A$B": ["a", "xy"],
    ": ${M:=x}; a $M": ["a", "x"],
    "if t; then M=1; else M=2; fi; a $M": ["a", "?"],
    "if t; then M=1; a $M; fi": ["a", "1"],
    "for i in 1 2; do a $i; done": ["a", "?"],
    "read M; a $M": ["a", "?"],
    "M=1; unset M; a $M": ["a", "?"],
    "a $(b c) `d`": ["a", "?", "?"],
    "a $((1 + 2))": ["a", "?"],
    "a {{ x }} <model>": ["a", "?", "?"],
}


def texts(tokens: list[Token]) -> list[str]:
    return [token.text for token in tokens]


@pytest.mark.parametrize("text", SPLIT)
def test_words(text: str) -> None:
    assert texts(shell_tokens(text)) == SPLIT[text]


@pytest.mark.parametrize("text", EXPANDED)
def test_variables(text: str) -> None:
    source = Text(text.replace("{{ x }}", "\ue000" * 7), range(len(text)))
    last = list(Script(source).statements())[-1]
    if last.tokens[0].text != "a":
        last = next(each for each in Script(source).statements() if each.tokens[0].text == "a")
    assert ["?" if token.unknown else token.text for token in last.tokens] == EXPANDED[text]


def test_an_open_quote_is_an_error() -> None:
    with pytest.raises(ValueError, match="No closing quotation"):
        shell_tokens("a {1,2} 'b")


WORD = st.text(st.sampled_from("abXY09-=_./:,{}[]\"'\\ $#\n\t|&;()<>*?!~`é"), min_size=0, max_size=12)


@given(st.lists(WORD, max_size=6))
def test_quoted_words_come_back(words: list[str]) -> None:
    text = "a " + shlex.join(words)
    assert texts(shell_tokens(text)) == ["a", *words]


@given(st.lists(WORD, max_size=6), st.sampled_from([" ", "  ", " \\\n  "]))
def test_the_text_at_a_token_is_the_token(words: list[str], gap: str) -> None:
    text = gap.join(["a", *map(shlex.quote, words)])
    for token in shell_tokens(text):
        assert shlex.split(text[token.start : token.end]) == [token.text]


@given(st.text(max_size=80))
@example('"\\')  # a text that ends with a backslash in quotes
def test_any_text_is_read(text: str) -> None:
    script = Script(Text(text, range(len(text))))
    for statement in script.statements():
        for token in statement.tokens:
            assert 0 <= token.start <= token.end <= len(text)
            assert len(token.places) == len(token.text)
