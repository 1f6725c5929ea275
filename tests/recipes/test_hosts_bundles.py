"""What each shipped recipe renders to for Slurm and systemd, byte for byte; `--update-golden` writes it anew."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from launchplan.render import render_bundle
from tests.recipes.bundles import SHIPPED, shipped_bundle, shipped_launch

GOLDEN = Path(__file__).parent / "golden"
TARGETS = ("slurm", "systemd")


def tree(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("recipe", SHIPPED)
def test_bundle_is_the_golden_one(recipe: str, target: str, update_golden: bool) -> None:
    bundle = shipped_bundle(recipe, target)
    files = {
        path.removeprefix(f"{target}/"): content
        for path, content in bundle.files.items()
        if path.startswith(f"{target}/")
    }
    folder = GOLDEN / Path(recipe).name / target
    if update_golden:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for path, content in files.items():
            (folder / path).write_bytes(content)
    assert files == tree(folder)
    scripts = {f"{process.name}.sh" for process in shipped_launch(recipe).processes}
    assert scripts <= set(bundle.files)


@pytest.mark.parametrize("recipe", SHIPPED)
def test_rendering_twice_gives_the_same_bytes(recipe: str) -> None:
    assert render_bundle(shipped_launch(recipe), (), TARGETS, None) == shipped_bundle(recipe, *TARGETS)
