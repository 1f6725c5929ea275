"""Time the runbook of 64 GPUs: rendering in this process, and opening its page in Chromium where there is one.

    python tests/benchmarks/runbook.py

Prints seconds and bytes. No test: the figures belong to the machine.
"""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from launchplan import api

RECIPE = {
    "launchplan": 1,
    "name": "wide",
    "model": "moonshotai/Kimi-K3",
    "engine": {"name": "vllm", "version": "0.33.0"},
    "hardware": {"gpu": "h200", "nodes": 8, "gpus_per_node": 8, "fabric": "infiniband"},
    "parallel": {"tp": 4, "dp": 16, "ep": 64},
    "workload": {"concurrency": 200, "context_tokens": 20000},
}


def main() -> None:
    api.render(RECIPE, force=True)  # facts are read once
    start = time.process_time()
    page = api.render(RECIPE, force=True).files["runbook.html"]
    sys.stdout.write(f"plan and bundle: {time.process_time() - start:.3f} s of CPU, page {len(page)} bytes\n")
    chromium = shutil.which("chromium")
    if chromium is not None:
        _open(page, chromium)


def _open(page: bytes, chromium: str) -> None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 # of the group `browser`

    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        path = Path(folder) / "runbook.html"
        path.write_bytes(page)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        opened = browser.new_page()
        opened.goto(path.as_uri())
        spent = opened.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
        sys.stdout.write(f"page complete after {spent / 1000:.3f} s in {browser.version}\n")
        browser.close()


if __name__ == "__main__":
    main()
