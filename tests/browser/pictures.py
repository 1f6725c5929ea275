"""Take the pictures of docs/images anew.

    python -m tests.browser.pictures

They show shipped recipes; `make browser` checks the pages themselves.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from launchplan import api
from launchplan.cli.app import run
from launchplan.resources import recipes_dir
from tests.browser.conftest import ARGUMENTS

IMAGES = Path(__file__).parents[2] / "docs" / "images"
PICTURES = (
    ("runbook-topology", "qwen3.8-fp8-12xgb300", "light", "figure"),
    ("runbook-start", "qwen3.8-fp8-2x8-b300", "light", ".tabs"),
    ("runbook-memory", "qwen3.8-fp8-2x8-b300", "dark", "figure:has(svg[aria-labelledby^=memory])"),
    ("runbook-capacity", "qwen3.8-fp8-2x8-b300", "light", "figure:has(svg[aria-labelledby^=curve])"),
)
"""Name of the file, recipe, colour scheme, and what of the page is shown."""


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(ARGUMENTS))
        for name, recipe, scheme, selector in PICTURES:
            (path,) = recipes_dir().rglob(f"{recipe}.yaml")
            page = Path(folder) / f"{recipe}.html"
            page.write_bytes(api.render(path).files["runbook.html"])
            _take(browser, page, scheme, selector, name)
        site = Path(folder) / "site"
        run(["site", str(recipes_dir()), "-o", str(site)])
        _take(browser, site / "index.html", "light", "", "site")
        browser.close()
    for image in sorted(IMAGES.glob("*.png")):
        sys.stdout.write(f"{image.name}: {image.stat().st_size} bytes\n")


def _take(browser: Browser, page: Path, scheme: str, selector: str, name: str) -> None:
    context = browser.new_context(
        viewport={"width": 1000, "height": 720}, color_scheme="dark" if scheme == "dark" else "light"
    )
    opened = context.new_page()
    opened.goto(page.as_uri())
    target = IMAGES / f"{name}.png"
    if selector:
        opened.locator(selector).first.screenshot(path=target)
    else:
        opened.screenshot(path=target)
    context.close()


if __name__ == "__main__":
    main()
