"""Pages in a real Chromium: what it asks of networks, what it complains of, what a clipboard holds."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

try:
    from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
except ModuleNotFoundError:  # pragma: no cover - the message is the point
    pytest.exit("tests/browser needs the dependency group `browser`: make browser", returncode=2)

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Opened:
    """A page, and everything that it asked for and complained of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def clipboard(self) -> str:
        return str(self.page.evaluate("navigator.clipboard.readText()"))


Opener = Callable[..., Opened]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium")
    if path is None:
        pytest.exit("tests/browser needs the Debian package chromium: see .ci/install", returncode=2)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield launched
        launched.close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opener]:
    """Give a function that opens a file; at the end nothing may have left the page or been complained of."""
    contexts: list[BrowserContext] = []
    pages: list[Opened] = []

    def open_file(path: Path, scheme: str = "light", width: int = 1100, *, script: bool = True) -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            permissions=["clipboard-read", "clipboard-write"],
            java_script_enabled=script,
            reduced_motion="reduce",
        )
        contexts.append(context)
        made = Opened(context.new_page())
        made.page.on("request", lambda request: made.requests.append(request.url))
        made.page.on("console", lambda message: made.complaints.append(message.text))
        made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
        made.page.goto(path.as_uri())
        pages.append(made)
        return made

    yield open_file
    for each in pages:
        assert [url for url in each.requests if not url.startswith(("file:", "data:"))] == []
        assert each.complaints == []
    for context in contexts:
        context.close()
