"""The whole bundle of each shipped recipe, byte for byte; `--update-golden` writes it anew."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recipes.bundles import SHIPPED, render, shipped_bundle

GOLDEN = Path(__file__).parent / "golden"
PINNED = "runbook.html"
"""Not in the trees: the digest in each manifest pins it."""


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("recipe", SHIPPED)
def test_bundle_is_the_golden_one(recipe: str, update_golden: bool) -> None:
    files = {path: content for path, content in shipped_bundle(recipe, "all").files.items() if path != PINNED}
    folder = GOLDEN / Path(recipe).name
    if update_golden:
        shutil.rmtree(folder, ignore_errors=True)
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
    assert files == tree(folder)


@pytest.mark.parametrize("recipe", SHIPPED)
def test_rendering_twice_gives_the_same_bytes(recipe: str) -> None:
    assert render(recipe, "all") == shipped_bundle(recipe, "all")


def test_there_is_no_golden_tree_without_a_recipe() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {Path(recipe).name for recipe in SHIPPED}


def test_scripts_are_clean() -> None:
    scripts = sorted(str(path) for path in GOLDEN.rglob("*") if path.suffix in {".sh", ".sbatch"})
    shellcheck = Path(sys.executable).with_name("shellcheck")
    found = subprocess.run([shellcheck, *scripts], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "")
    for script in scripts:
        assert subprocess.run(["bash", "-n", script], capture_output=True, check=True).stderr == b""
