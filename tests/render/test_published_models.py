"""Whole runbooks of models that vLLM's recipes and SGLang's cookbook have pages for; `--update-golden` writes them.

What such a page tells, these have to tell, too: install, accuracy test, switch of the thoughts, known issues,
published results, other checkpoints.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from launchplan import api
from launchplan.catalog import models
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


_OVERRIDES = "hf-overrides"
STRETCHED = [(entry.id, entry.stretch.tokens) for entry in models() if entry.stretch is not None]


@pytest.mark.parametrize(("model", "tokens"), STRETCHED)
def test_a_longer_window_is_accepted_as_the_runbook_writes_it(
    model: str, tokens: int, tmp_path: Path
) -> None:
    recipe = {
        "launchplan": 1,
        "name": "long",
        "model": model,
        "engine": {"name": "vllm", "version": "0.33.0"},
        "hardware": {"gpu": "b300", "nodes": 1, "gpus_per_node": 4},
        "parallel": {"tp": 4},
    }
    written = tmp_path / "recipe.yaml"
    written.write_text(yaml.safe_dump(recipe))
    text = api.render(written, targets=("shell",)).files["RUNBOOK.md"].decode()
    rows = [row for table in markdown_tables(text) if table[0][0] == "for" for row in table[1:]]
    (setting,) = [setting.strip("`") for _, setting, _ in rows if _OVERRIDES in setting]
    written.write_text(yaml.safe_dump(recipe | yaml.safe_load(f"{{{setting}}}")))
    plan = api.check(written).plan
    assert plan is not None
    assert plan.errors == ()
    again = api.render(written, targets=("shell",)).files["RUNBOOK.md"].decode()
    assert f"max_model_len | {tokens:,}" in again
    assert not [
        row
        for table in markdown_tables(again)
        if table[0][0] == "for"
        for row in table
        if _OVERRIDES in row[1]
    ]


def _plain(row: list[str]) -> list[str]:
    return [cell.replace("`", "").replace("\\", "") for cell in row]


def test_there_is_no_golden_runbook_without_a_recipe() -> None:
    assert sorted(path.stem for path in HERE.glob("*.md")) == NAMES
