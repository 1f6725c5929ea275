"""Every bundle that real executors are given: the cases of the renderer and the shipped recipes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from launchplan.engines import Launch
from launchplan.render import Bundle, render_bundle
from tests.recipes.bundles import SHIPPED, shipped_launch
from tests.render.kit import CASES, case_launch

NAMES = (*CASES, *SHIPPED)


def launch_named(name: str) -> Launch:
    return case_launch(name) if name in CASES else shipped_launch(name)


@cache
def bundle_named(name: str, target: str) -> Bundle:
    return render_bundle(launch_named(name), (), (target,), None)


def write(bundle: Bundle, folder: Path) -> Path:
    for path, content in bundle.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder
