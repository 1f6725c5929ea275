"""The runbook's page: copy, tabs, keyboard, accessibility, small screens, print."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from launchplan import api
from launchplan.cli.app import run
from launchplan.resources import recipes_dir
from tests.browser.conftest import Opener
from tests.render.test_runbook import WIDE

RECIPES = {path.stem: path for path in recipes_dir().rglob("*.yaml")}
SHOWN = ("qwen3.8-fp8-2x8-b300", "kimi-k3-pd-vllm", "kimi-k3-16xh200-sglang")
A4_WITH_MARGINS = 718
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    bundles = [api.render(RECIPES[name]) for name in SHOWN]
    bundles.append(api.render(WIDE, force=True, targets=("runbook",)))
    for bundle in bundles:
        (folder / f"{bundle.name}.html").write_bytes(bundle.files["runbook.html"])
    return {bundle.name: folder / f"{bundle.name}.html" for bundle in bundles}


@pytest.mark.parametrize("name", SHOWN)
def test_copy_puts_what_show_prints_on_the_clipboard(
    name: str, pages: dict[str, Path], opened: Opener, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = opened(pages[name])
    launch = api.check(RECIPES[name]).plan
    assert launch is not None
    assert launch.launch is not None
    for process in launch.launch.processes:
        tab = shown.page.get_by_role("tab", name=process.name, exact=True)
        if tab.count():
            tab.click()
        shown.page.get_by_role("button", name=f"Copy: command of {process.name}", exact=True).click()
        assert run(["show", str(RECIPES[name]), "--env", "--wrap", "--node", process.name]) == 0
        assert shown.clipboard() + "\n" == capsys.readouterr().out


def test_every_copy_button_copies_its_block(pages: dict[str, Path], opened: Opener) -> None:
    shown = opened(pages["qwen3.8-fp8-2x8-b300"])
    blocks = shown.page.locator(".block[data-copy]:visible")
    assert blocks.count() > 8
    for index in range(blocks.count()):
        block = blocks.nth(index)
        block.locator("button.copy").click()
        assert shown.clipboard() == block.locator("code").text_content()
        label = block.get_attribute("aria-label")
        assert shown.page.locator("#said").text_content() == f"Copied: {label}"


def test_copy_works_without_the_clipboard_interface(pages: dict[str, Path], opened: Opener) -> None:
    shown = opened(pages["qwen3.8-fp8-2x8-b300"])
    shown.page.evaluate("Object.defineProperty(window, 'isSecureContext', {value: false})")
    shown.page.get_by_role("button", name="Copy: load test").click()
    expected = shown.page.locator("[aria-label='load test'] code").text_content()
    assert shown.clipboard() == expected


def test_tabs_by_keyboard(pages: dict[str, Path], opened: Opener) -> None:
    page = opened(pages["kimi-k3-pd-vllm"]).page
    tabs = page.get_by_role("tab")
    names = tabs.all_text_contents()
    assert names == [*(f"prefill-{i}" for i in range(2)), *(f"decode-{i}" for i in range(4)), "router"]

    def chosen() -> str:
        assert page.get_by_role("tab", selected=True).count() == 1
        focused = page.evaluate("document.activeElement.textContent")
        panels = page.locator("[role=tabpanel]:visible")
        assert panels.count() == 1
        assert panels.get_attribute("aria-labelledby") == f"process-{focused}-tab"
        return str(focused)

    page.keyboard.press("Tab")
    tabs.first.focus()
    for key, name in (
        ("ArrowRight", names[1]),
        ("End", names[-1]),
        ("ArrowRight", names[0]),
        ("ArrowLeft", names[-1]),
        ("Home", names[0]),
    ):
        page.keyboard.press(key)
        assert chosen() == name
    page.keyboard.press("Tab")  # out of the list, into the panel: the other tabs are no stops
    assert page.evaluate("document.activeElement.closest('[role=tabpanel]').id") == "process-prefill-0"


def test_a_link_to_a_process_opens_its_tab(pages: dict[str, Path], opened: Opener) -> None:
    page = opened(pages["qwen3.8-fp8-2x8-b300"]).page
    page.evaluate("location.hash = '#process-node-1'")
    page.locator("#process-node-1").wait_for(state="visible")
    assert page.get_by_role("tab", selected=True).text_content() == "node-1"


def test_everything_is_there_without_a_script(pages: dict[str, Path], opened: Opener) -> None:
    page = opened(pages["kimi-k3-pd-vllm"], script=False).page
    panels = page.locator(".panel")
    assert panels.count() == 7
    assert all(panels.nth(index).is_visible() for index in range(7))
    assert page.locator(".copy").count() == 0
    assert page.locator("svg").count() == 6


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [*SHOWN, "wide"])
def test_axe_finds_nothing_serious(name: str, scheme: str, pages: dict[str, Path], opened: Opener) -> None:
    page = opened(pages[name], scheme).page
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    found = Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in SERIOUS] == []


@pytest.mark.parametrize("name", [*SHOWN, "wide"])
def test_320_pixels_are_wide_enough(name: str, pages: dict[str, Path], opened: Opener) -> None:
    page = opened(pages[name], width=320).page
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    beyond = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, p, li, dd, button, .stack td, .stack tbody th')].filter("
        "each => each.checkVisibility() && !each.closest('.scroll:not(:has(.stack)), .hidden, .skip') "
        "&& each.getBoundingClientRect().right > 320).length"
    )
    assert beyond == 0


def test_print_shows_every_process_and_no_buttons(pages: dict[str, Path], opened: Opener) -> None:
    page = opened(pages["kimi-k3-pd-vllm"]).page
    page.emulate_media(media="print")
    panels = page.locator(".panel")
    assert all(panels.nth(index).is_visible() for index in range(panels.count()))
    assert page.locator(".copy:visible, nav:visible, .tablist:visible").count() == 0
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize("name", [*SHOWN, "wide"])
def test_paper_is_wide_enough(name: str, pages: dict[str, Path], opened: Opener) -> None:
    page = opened(pages[name], width=A4_WITH_MARGINS).page
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") == A4_WITH_MARGINS


def test_a_page_of_64_gpus_shows_them_all(pages: dict[str, Path], opened: Opener) -> None:
    page = opened(pages["wide"]).page
    assert pages["wide"].stat().st_size < 500_000
    assert page.locator("svg .gpu").count() == 64
    assert page.get_by_role("tab").count() == 8
