"""The whole bundle of each case, byte for byte; `--update-golden` writes it anew."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from launchplan.render import TARGETS, render_bundle
from tests.render.kit import CASES, FINDINGS, HERE, case_bundle, case_launch, make_launch


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("case", CASES)
def test_bundle_is_the_golden_one(case: str, update_golden: bool) -> None:
    bundle, golden = case_bundle(case), HERE / "golden" / case
    if update_golden:
        shutil.rmtree(golden, ignore_errors=True)
        for path, content in bundle.files.items():
            (golden / path).parent.mkdir(parents=True, exist_ok=True)
            (golden / path).write_bytes(content)
    assert dict(bundle.files) == tree(golden)
    assert bundle.name == case_launch(case).layout.resolved.deployment.recipe.value.name
    assert bundle.executable == {path for path in bundle.files if path.endswith(".sh")}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES)
def test_every_target_has_its_golden_files(case: str, target: str) -> None:
    alone = render_bundle(case_launch(case), FINDINGS, (target,), None).files
    made = {path: content for path, content in alone.items() if path != "manifest.json"}
    assert made
    golden = tree(HERE / "golden" / case)
    assert {path: golden.get(path) for path in made} == made


def test_there_is_no_golden_tree_without_a_case() -> None:
    assert {path.name for path in (HERE / "golden").iterdir()} == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_same_recipe_elsewhere_gives_the_same_bytes(case: str, tmp_path: Path) -> None:
    shutil.copytree(HERE / "recipes", tmp_path / "elsewhere")
    cluster = tmp_path / "elsewhere" / f"{case}.cluster.yaml"
    launch = make_launch(tmp_path / "elsewhere" / f"{case}.yaml", cluster if cluster.exists() else None)
    again = render_bundle(launch, FINDINGS, tuple(TARGETS), None)
    assert again == case_bundle(case)
    assert list(again.files) == sorted(again.files)
