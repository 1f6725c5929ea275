"""Commands for releases whose flags are known, and for those between and before them."""

from __future__ import annotations

import pytest

from launchplan.engines.arguments import Word
from launchplan.engines.reading import read_past_refusals, read_words

CASES = [
    # engine, version, words; what is refused, what is left unread
    ("vllm", "0.33.0", "m --swap-space 4", "--swap-space", ""),
    ("vllm", "0.33.0", "m --tensor-parallel-size 2", None, ""),
    ("vllm", "0.17.0", "m --swap-space 4", None, ""),
    ("vllm", "0.18.0", "m --swap-space 4", "--swap-space", ""),
    ("vllm", "0.13.0", "m --task=embed", "--task=embed", ""),
    ("vllm", "0.22.0", "m --bogus 4 --port 1", "--bogus", ""),
    ("vllm", "0.7.3", "m --num-speculative-tokens 1 --port 1", None, "--num-speculative-tokens 1"),
    ("vllm", "0.7.3", "m --port 1 stray", "stray", ""),
    ("vllm", "0.40.0", "m --new-flag", None, "--new-flag"),
    ("vllm", "nightly", "m --no-such-flag", "--no-such-flag", ""),
    ("sglang", "0.5.6", "--model-path m --enable-deepep-moe", "--enable-deepep-moe", ""),
    ("sglang", "0.4.6", "--model-path m --enable-deepep-moe", None, "--enable-deepep-moe"),
    ("sglang", "0.5.6", "--model-path m --preferred-sampling-params {", "json", ""),
    ("sglang", "main", "--model-path m --cuda-graph-max-bs 8", None, "--cuda-graph-max-bs 8"),
]


def words(text: str) -> list[Word]:
    return [Word(word, index) for index, word in enumerate(text.split())]


@pytest.mark.parametrize(("engine", "version", "text", "refused", "unread"), CASES)
def test_what_a_release_refuses(
    engine: str, version: str, text: str, refused: str | None, unread: str
) -> None:
    read = read_words(engine, version, words(text))
    assert read is not None
    refusal = read.refusal
    about = None if refusal is None else refusal.unknown or (refusal.flag and refusal.flag.type)
    assert about == refused
    assert " ".join(word.text for word in read.unread) == unread


def test_what_stands_beside_a_refusal_is_read() -> None:
    read = read_past_refusals("vllm", "0.33.0", words("m --tensor-parallel-size x --port 9"))
    assert read is not None
    assert read.refusal is not None
    assert (read["port"], read["tensor_parallel_size"]) == (9, 1)


def test_an_engine_that_nobody_knows_has_no_arguments() -> None:
    assert read_words("other", "1.0", words("m")) is None
