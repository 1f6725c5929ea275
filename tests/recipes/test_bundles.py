"""What each shipped recipe renders to for containers, byte for byte; `--update-golden` writes it anew."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from launchplan.render import render_bundle
from tests.recipes.bundles import SHIPPED, shipped_bundle, shipped_launch

GOLDEN = Path(__file__).parent / "golden"
TARGETS = ("docker", "compose", "kubernetes")


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("recipe", SHIPPED)
def test_bundle_is_the_golden_one(recipe: str, target: str, update_golden: bool) -> None:
    files = {path: content for path, content in shipped_bundle(recipe, target).files.items()
             if path != "manifest.json"}  # fmt: skip
    folder = GOLDEN / Path(recipe).name / target
    if update_golden:
        shutil.rmtree(folder, ignore_errors=True)
        for path, content in files.items():
            (folder.parent / path).parent.mkdir(parents=True, exist_ok=True)
            (folder.parent / path).write_bytes(content)
    assert files == {f"{target}/{path}": content for path, content in tree(folder).items()}


@pytest.mark.parametrize("recipe", SHIPPED)
def test_rendering_twice_gives_the_same_bytes(recipe: str) -> None:
    assert render_bundle(shipped_launch(recipe), (), TARGETS, None) == shipped_bundle(recipe, *TARGETS)


def test_there_is_no_golden_tree_without_a_recipe() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {Path(recipe).name for recipe in SHIPPED}


def test_scripts_are_clean() -> None:
    scripts = sorted(str(path) for path in GOLDEN.rglob("*.sh"))
    shellcheck = Path(sys.executable).with_name("shellcheck")
    found = subprocess.run([shellcheck, *scripts], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "")
    for script in scripts:
        assert subprocess.run(["bash", "-n", script], capture_output=True, check=True).stderr == b""
