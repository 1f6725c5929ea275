"""The site's index in a browser: search, filters, links, all from the file system."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from launchplan.cli.app import run
from launchplan.resources import recipes_dir
from tests.browser.conftest import Opener
from tests.browser.test_runbook import SERIOUS

COUNT = len(list(recipes_dir().rglob("*.yaml")))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("site")
    shelf = top / "shelf"
    shelf.mkdir()
    for path in recipes_dir().rglob("*.yaml"):
        (shelf / path.name).write_bytes(path.read_bytes())
    (shelf / "broken.yaml").write_text("launchplan: 1\nmodel: [\n")
    assert run(["site", str(shelf), "-o", str(top / "out")]) == 2
    return top / "out" / "index.html"


def test_search_and_filters(index: Path, opened: Opener) -> None:
    page = opened(index).page
    cards = page.locator("#recipes > li:visible")
    assert cards.count() == COUNT + 1
    page.get_by_label("search").fill("KIMI sglang")
    names = [each.strip() for each in cards.locator("h2").all_text_contents()]
    assert names == ["kimi-k3-16xh200-sglang", "kimi-k3-8xb300-dcp8-sglang", "kimi-k3-pd-sglang"]
    page.get_by_label("evidence").select_option("derived")
    assert cards.count() == 2
    assert page.locator("#count").text_content() == f"2 of {COUNT + 1} recipes"
    page.get_by_label("gpu").select_option("Instinct MI355X")
    assert cards.count() == 0
    assert page.locator("#nothing").is_visible()
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#count")).to_have_text(f"{COUNT + 1} recipes")
    assert cards.count() == COUNT + 1
    page.get_by_label("state").select_option("unreadable")
    assert [each.strip() for each in cards.locator("h2").all_text_contents()] == ["broken.yaml"]
    page.get_by_label("state").select_option("")
    for key in ("model", "gpu", "engine", "evidence", "state"):
        for option in page.locator(f"#by-{key} option").all()[1:]:
            value = option.get_attribute("value") or ""
            page.locator(f"#by-{key}").select_option(value)
            assert cards.count() == page.locator(f"#recipes > li[data-{key}='{value}']").count() > 0
        page.locator(f"#by-{key}").select_option("")


def test_a_card_leads_to_its_runbook(index: Path, opened: Opener) -> None:
    page = opened(index).page
    page.get_by_role("link", name="qwen3.8-fp8-2x8-b300", exact=True).click()
    page.wait_for_url("**/recipes/qwen3.8-fp8-2x8-b300/runbook.html")
    assert page.locator("h1").text_content() == "qwen3.8-fp8-2x8-b300"


def test_without_a_script_all_recipes_are_listed(index: Path, opened: Opener) -> None:
    page = opened(index, script=False).page
    assert page.locator("#recipes > li:visible").count() == COUNT + 1
    assert not page.locator("#filters").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(scheme: str, index: Path, opened: Opener) -> None:
    found = Axe().run(opened(index, scheme).page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in SERIOUS] == []


def test_320_pixels_are_wide_enough(index: Path, opened: Opener) -> None:
    assert opened(index, width=320).page.evaluate("document.documentElement.scrollWidth") == 320
