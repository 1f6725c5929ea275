"""Reading fact files: what is refused, what is opened, and that a new file is all a new thing needs."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from launchplan.catalog import load
from launchplan.catalog.base import Named
from launchplan.catalog.gpus import Gpu
from launchplan.errors import CatalogError

if TYPE_CHECKING:
    from pathlib import Path

MINIMAL = """\
id: {id}
aliases: [{alias}]
source: a test
checked: "2026-01-31"
"""


def write(directory: Path, name: str, text: str) -> Path:
    path = directory / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_new_gpu_is_one_new_file(tmp_path: Path) -> None:
    shutil.copytree(load.DATA / "gpus", tmp_path, dirs_exist_ok=True)
    text = (tmp_path / "b300.yaml").read_text(encoding="utf-8")
    write(
        tmp_path,
        "r100",
        text.replace("id: b300", "id: r100").replace("[b300-sxm", "[Rubin").replace("B300", "R100"),
    )
    shelf = load.Shelf(Gpu, tmp_path)
    found = shelf.get("rubin")
    assert found is not None
    assert (found.id, found.name, found.capability) == ("r100", "R100 SXM (HGX)", (10, 3))
    assert shelf.get("R100") is found
    assert shelf.nearest("r10") == "r100"
    assert len(shelf.all()) == len(load.gpus()) + 1


def test_an_id_opens_its_own_file_only(tmp_path: Path) -> None:
    write(tmp_path, "good", MINIMAL.format(id="good", alias="fine"))
    write(tmp_path, "broken", "id: [")
    shelf = load.Shelf(Named, tmp_path)
    assert shelf.get("good") == Named(id="good", aliases=("fine",), source="a test", checked="2026-01-31")
    with pytest.raises(CatalogError, match=r"broken\.yaml"):
        shelf.get("fine")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("id: [", "while parsing"),
        ("", "the file: Input should be an object"),
        ("- id: thing", "the file: Input should be an object"),
        (MINIMAL.format(id="thing", alias="a") + "colour: red\n", "colour: Extra inputs are not permitted"),
        (MINIMAL.format(id="7", alias="a"), "id: Input should be a valid string"),
        (MINIMAL.format(id="thing", alias="a, 8"), "aliases.1: Input should be a valid string"),
        (MINIMAL.format(id='""', alias="a"), "id: String should have at least 1 character"),
        ("id: thing\nsource: a test\n", "checked: Field required"),
        (
            MINIMAL.format(id="thing", alias="a").replace("2026-01-31", "31.1.2026"),
            "checked: String should match",
        ),
        (MINIMAL.format(id="thing", alias="a").replace('"2026-01-31"', "2026-01-31"), "date is not JSON"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name(tmp_path: Path, text: str, reason: str) -> None:
    path = write(tmp_path, "thing", text)
    with pytest.raises(CatalogError) as caught:
        load.read_fact(Named, path)
    assert str(path) in str(caught.value)
    assert reason in str(caught.value)


def test_a_missing_or_unreadable_file_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"nowhere\.yaml"):
        load.read_fact(Named, tmp_path / "nowhere.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"id: caf\xe9\n")
    with pytest.raises(CatalogError, match=r"latin\.yaml"):
        load.read_fact(Named, tmp_path / "latin.yaml")


def test_looking_up_twice_reads_once() -> None:
    assert load.gpu("h200") is load.gpu("H200")
    assert load.fabric("ib") is load.fabric("infiniband")
    assert load.engine_facts("vllm", "0.33.0") is load.nearest_facts("vllm", "nightly")
