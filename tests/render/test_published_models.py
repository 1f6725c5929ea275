"""Whole runbooks of models that vLLM's recipes and SGLang's cookbook have pages for; `--update-golden` writes them.

What such a page tells, these have to tell, too: install, accuracy test, switch of the thoughts, known issues,
published results, other checkpoints.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from launchplan import api
from tests.render.pages import markdown_blocks, markdown_tables, page_blocks, page_tables, read_page

HERE = Path(__file__).parent / "runbooks"
NAMES = sorted(path.stem for path in HERE.glob("*.yaml"))


@pytest.mark.parametrize("name", NAMES)
def test_runbook_is_the_golden_one(name: str, update_golden: bool) -> None:
    made = api.render(HERE / f"{name}.yaml", targets=("shell",)).files["RUNBOOK.md"].decode()
    golden = HERE / f"{name}.md"
    if update_golden:
        golden.write_text(made, encoding="utf-8")
    assert made == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_the_page_tells_the_same(name: str) -> None:
    files = api.render(HERE / f"{name}.yaml", targets=("shell",)).files
    text, page = files["RUNBOOK.md"].decode(), read_page(files["runbook.html"])
    copied = [block for kind, block in markdown_blocks(text) if kind in {"bash", "python"}]
    assert set(copied) <= set(page_blocks(page).values())
    rows = {tuple(_plain(row)) for table in page_tables(page).values() for row in table}
    shown = ["what ran", "test", "checkpoint", "GPU", "seen", "for"]
    told = [row for table in markdown_tables(text) if table[0][0] in shown for row in table[1:]]
    assert {tuple(_plain(row)) for row in told} <= rows


def _plain(row: list[str]) -> list[str]:
    return [cell.replace("`", "").replace("\\", "") for cell in row]


def test_there_is_no_golden_runbook_without_a_recipe() -> None:
    assert sorted(path.stem for path in HERE.glob("*.md")) == NAMES
