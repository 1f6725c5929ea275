"""The whole bundle of each case, byte for byte; `--update-golden` writes it anew."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from launchplan.pipeline import make_plan
from launchplan.render import TARGETS, render_bundle
from tests.render.kit import CASES, FINDINGS, HERE, background_of, case_bundle, case_launch, make_launch

EVERYWHERE = {"manifest.json", "RUNBOOK.md", "runbook.html"}
"""Files that every bundle holds, whatever the target."""


PAGES = ("two-nodes", "pools-vllm")
"""Cases whose page stands in the golden tree: one instance over nodes, and pools; those of the others are
pinned by the digest in their manifest."""


def shown(case: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: files[path] for path in files if path != "runbook.html" or case in PAGES}


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("case", CASES)
def test_bundle_is_the_golden_one(case: str, update_golden: bool) -> None:
    bundle, golden = case_bundle(case), HERE / "golden" / case
    if update_golden:
        shutil.rmtree(golden, ignore_errors=True)
        for path, content in shown(case, bundle.files).items():
            (golden / path).parent.mkdir(parents=True, exist_ok=True)
            (golden / path).write_bytes(content)
    assert shown(case, bundle.files) == tree(golden)
    assert bundle.name == case_launch(case).layout.resolved.deployment.recipe.value.name
    assert bundle.executable == {path for path in bundle.files if path.endswith(".sh")}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES)
def test_every_target_has_its_golden_files(case: str, target: str) -> None:
    alone = render_bundle(case_launch(case), FINDINGS, (target,), None).files
    # The runbook tells of the other targets, too.
    made = {path: content for path, content in alone.items() if path not in EVERYWHERE}
    assert made or target == "runbook"
    assert alone.keys() >= EVERYWHERE
    golden = tree(HERE / "golden" / case)
    assert {path: golden.get(path) for path in made} == made


@pytest.mark.parametrize("case", sorted(set(CASES) - {"one-node"}))
def test_no_case_is_one_that_is_refused(case: str) -> None:
    """All but the case whose values are there for the quotes in them."""
    cluster = HERE / "recipes" / f"{case}.cluster.yaml"
    plan = make_plan(HERE / "recipes" / f"{case}.yaml", cluster if cluster.exists() else None)
    assert [(each.code, each.message) for each in plan.errors] == []


def test_there_is_no_golden_tree_without_a_case() -> None:
    assert {path.name for path in (HERE / "golden").iterdir()} == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_same_recipe_elsewhere_gives_the_same_bytes(case: str, tmp_path: Path) -> None:
    shutil.copytree(HERE / "recipes", tmp_path / "elsewhere")
    cluster = tmp_path / "elsewhere" / f"{case}.cluster.yaml"
    launch = make_launch(tmp_path / "elsewhere" / f"{case}.yaml", cluster if cluster.exists() else None)
    again = render_bundle(launch, FINDINGS, tuple(TARGETS), None, background_of(launch))
    assert again == case_bundle(case)
    assert list(again.files) == sorted(again.files)
