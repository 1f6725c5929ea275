"""Commands as text reach a program word by word, whatever the words hold."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from launchplan.engines import Site, Value
from launchplan.engines.commands import bare_text, shell_word

SITES = {"HEAD_ADDR": "10.0.0.1", "LOCAL_CACHE": "/my disk/$x"}
HEAD, CACHE = Site("HEAD_ADDR", "address of node 0"), Site("LOCAL_CACHE", "a folder")
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)


@pytest.mark.parametrize(
    ("value", "word", "bare"),
    [
        (("16",), "16", "16"),
        (("",), "''", ""),
        (("a b",), "'a b'", "a b"),
        (('{"a":1}',), """'{"a":1}'""", '{"a":1}'),
        ((HEAD,), '"$HEAD_ADDR"', "$HEAD_ADDR"),
        (("http://", HEAD, ":8000"), '"http://$HEAD_ADDR:8000"', "http://$HEAD_ADDR:8000"),
        ((HEAD, "_0"), '"${HEAD_ADDR}_0"', "${HEAD_ADDR}_0"),
        ((HEAD, HEAD), '"$HEAD_ADDR$HEAD_ADDR"', "$HEAD_ADDR$HEAD_ADDR"),
        (('"$`\\', CACHE), '"\\"\\$\\`\\\\$LOCAL_CACHE"', '"$`\\$LOCAL_CACHE'),
    ],
)
def test_words(value: Value, word: str, bare: str) -> None:
    assert shell_word(value) == word
    assert bare_text(value) == bare


@pytest.mark.parametrize(
    "value", [(HEAD,), ("http://", HEAD, ":8000"), (CACHE, "/triton"), ("a b",), ("it's",)]
)
def test_words_split_as_python_splits_them(value: Value) -> None:
    assert shlex.split(shell_word(value)) == [bare_text(value)]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(TEXT | st.sampled_from([HEAD, CACHE]), min_size=1, max_size=4).map(tuple),
        min_size=1,
        max_size=30,
    )
)
def test_a_shell_reads_every_word_back(values: list[Value]) -> None:
    script = "printf '%s\\0' " + " ".join(shell_word(value) for value in values)
    run = subprocess.run(["bash", "-c", script], env=SITES, capture_output=True, check=True)
    expected = [
        "".join(part if isinstance(part, str) else SITES[part.variable] for part in value) for value in values
    ]
    assert run.stdout.decode().split("\0")[:-1] == expected
