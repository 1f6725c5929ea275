"""`--fix` rewrites renamed flags and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from launchplan.lint import Site, applied, edits_of, lint_text

CASES: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("fixes.yaml").read_text(encoding="utf-8")
)


def fixed(text: str, name: str) -> str:
    return applied(text, edits_of(lint_text(text, name, Site(memory=False))))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_what_is_rewritten(case: dict[str, Any]) -> None:
    assert fixed(case["text"], case["file"]) == case.get("fixed", case["text"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_twice_changes_no_more(case: dict[str, Any]) -> None:
    once = fixed(case["text"], case["file"])
    assert fixed(once, case["file"]) == once


NOISE = st.text(st.sampled_from("ab \t\n\r\\'\"#$é-&;|"), max_size=20)


@given(NOISE, NOISE, st.sampled_from([" ", " \\\n  ", " \\\r\n\t"]))
def test_every_other_byte_stays(before: str, after: str, gap: str) -> None:
    command = gap.join(["vllm serve m", "--eplb-window-size 1", "--port 2"])
    text = f"{before}\n{command}\n{after}"
    new = fixed(text, "a.sh")
    assert new in {text, text.replace("--eplb-window-size 1", "--eplb-config.window_size 1", 1)}
