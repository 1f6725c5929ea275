"""Words of a command line, split as bash splits them."""

from __future__ import annotations

import pytest

from launchplan.lint.shell import shell_words

SPLIT = {
    "vllm serve m": ["vllm", "serve", "m"],
    "a \\\n b": ["a", "b"],
    """a '{"x": 1, "y": 2}' b""": ["a", '{"x": 1, "y": 2}', "b"],
    """a {"x":1,"y":2}""": ["a", "x:1", "y:2"],
    """a {"x":1}""": ["a", "{x:1}"],
    "a --b={1,2} c": ["a", "--b=1", "--b=2", "c"],
    "a ${HOST:-x,y} {p,q}": ["a", "${HOST:-x,y}", "p", "q"],
    """a "{1,2}" {3,4}""": ["a", "{1,2}", "3", "4"],
}


@pytest.mark.parametrize("text", SPLIT)
def test_words(text: str) -> None:
    assert shell_words(text) == SPLIT[text]


def test_an_open_quote_is_an_error() -> None:
    with pytest.raises(ValueError, match="No closing quotation"):
        shell_words("a {1,2} 'b")
