"""`launchplan site`: every recipe of a folder, the broken ones too, and the same bytes each time."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from launchplan.resources import recipes_dir
from tests.render.pages import read_page

Runner = Callable[..., Any]
GOOD = """launchplan: 1
name: {name}
summary: An <8B> & more
model: Qwen/Qwen3-8B
engine: {{name: vllm, version: "0.33.0"}}
hardware: {{gpu: h100}}
"""
REFUSED = GOOD + "parallel: {{tp: 8}}\nargs: {{nonsense: 1}}\n"


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def shelf(files: Path) -> Path:
    folder = files / "shelf"
    (folder / "team a").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "team a" / "good.yaml").write_text(GOOD.format(name="good"))
    (folder / "team a" / "good.json").write_text(json.dumps({"launchplan": 1, "model": "x"}))
    (folder / "refused.yaml").write_text(REFUSED.format(name="refused"))
    (folder / "broken.yaml").write_text("launchplan: 1\nmodel: [\n")
    (folder / "binary.yml").write_bytes(b"launchplan: 1\nmodel: \xff\n")
    (folder / "cluster.yaml").write_text("launchplan: 1\nname: site\nnodes: 2\n")
    (folder / "values.yaml").write_text("replicas: 2\nmodel: x\n")
    (folder / "notes.txt").write_text("launchplan: 1\nmodel: x\n")
    (folder / ".git" / "hidden.yaml").write_text(GOOD.format(name="hidden"))
    return folder


def cards(site: Path) -> dict[str, dict[str, str]]:
    page = read_page((site / "index.html").read_bytes())
    found = [each for each in page.all("li") if "data-search" in each.attributes]
    return {
        each.all("h2")[0].text.strip(): {**each.attributes, "text": " ".join(each.text.split())}
        for each in found
    }


def test_every_recipe_is_shown_as_what_it_is(launchplan: Runner, shelf: Path) -> None:
    ran = launchplan("site", "shelf", "-o", "out")
    assert ran.code == 2
    assert ran.out == "out: 5 recipes, 8 files\n"
    assert "shelf/broken.yaml:3:1: error REC002 not-yaml" in ran.err
    assert "Traceback" not in ran.err
    shown = cards(shelf.parent / "out")
    assert {name: each["data-state"] for name, each in shown.items()} == {
        "binary.yml": "unreadable",
        "broken.yaml": "unreadable",
        "refused": "refused",
        "team a/good.json": "unreadable",
        "good": "warnings",
    }
    assert "line 3: error REC002: not YAML" in shown["broken.yaml"]["text"]
    assert "ENG101" in shown["refused"]["text"]
    assert (shown["good"]["data-model"], shown["good"]["data-engine"]) == ("Qwen/Qwen3-8B", "vllm 0.33.0")
    assert sorted(tree(shelf.parent / "out")) == [
        "index.html",
        "manifest.json",
        *(f"recipes/refused/{name}" for name in ("RUNBOOK.md", "recipe.yaml", "runbook.html")),
        *(f"recipes/team a/good.yaml/{name}" for name in ("RUNBOOK.md", "recipe.yaml", "runbook.html")),
    ]


def test_links_lead_to_files_of_the_site(launchplan: Runner, shelf: Path) -> None:
    launchplan("site", "shelf", "-o", "out")
    out = shelf.parent / "out"
    page = read_page((out / "index.html").read_bytes())
    links = {each.attributes["href"] for each in page.all("a")} - {"#recipes"}
    assert {unquote(link) for link in links} == set(tree(out)) - {"index.html", "manifest.json"}


def test_a_runbook_leads_back_to_the_index(launchplan: Runner, shelf: Path) -> None:
    launchplan("site", "shelf", "-o", "out")
    out = shelf.parent / "out"
    pages = sorted(out.rglob("runbook.html"))
    assert len(pages) == 2
    for path in pages:
        page = read_page(path.read_bytes())
        away = ("#", "https://huggingface.co/")
        (home,) = [each for each in page.all("a") if not each.attributes["href"].startswith(away)]
        assert (home.text, (path.parent / home.attributes["href"]).resolve()) == (
            "All recipes",
            (out / "index.html").resolve(),
        )
        assert f"All recipes: <{home.attributes['href']}>" in (path.parent / "RUNBOOK.md").read_text()


def test_the_same_folder_gives_the_same_bytes_wherever_it_lies(launchplan: Runner, shelf: Path) -> None:
    launchplan("site", "shelf", "-o", "one")
    shutil.copytree(shelf, shelf.parent / "elsewhere" / "copy")
    launchplan("site", str(shelf.parent / "elsewhere" / "copy"), "-o", "two")
    assert tree(shelf.parent / "one") == tree(shelf.parent / "two")


def test_a_site_is_written_anew_over_itself_and_over_nothing_else(launchplan: Runner, shelf: Path) -> None:
    (shelf / "broken.yaml").unlink()
    assert launchplan("site", "shelf", "-o", "shelf/out").out == "shelf/out: 4 recipes, 8 files\n"
    again = launchplan("site", "shelf", "-o", "shelf/out", "--title", "Ours")
    assert again.out == "shelf/out: 4 recipes, 8 files\n"  # the site is no recipe of its own folder
    assert "<title>Ours</title>" in (shelf / "out" / "index.html").read_text()
    (shelf / "out" / "index.html").write_text("edited")
    refused = launchplan("site", "shelf", "-o", "shelf/out")
    assert (refused.code, refused.out) == (2, "")
    assert "was edited since launchplan wrote it" in refused.err
    assert launchplan("site", "shelf", "-o", "shelf/out", "--force").out
    mine = launchplan("site", "shelf", "-o", "shelf/team a")
    assert (mine.code, mine.out) == (2, "")


def test_what_is_no_folder_of_recipes(launchplan: Runner, files: Path) -> None:
    (files / "empty").mkdir()
    for folder, told in (("nowhere", "nowhere is no folder"), ("empty", "no recipe below empty")):
        ran = launchplan("site", folder, "-o", "out")
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"error: {told}")
        assert not (files / "out").exists()


def test_what_is_no_file_is_left_alone(launchplan: Runner, shelf: Path) -> None:
    os.mkfifo(shelf / "pipe.yaml")
    (shelf / "gone.yaml").symlink_to("nowhere.yaml")
    (shelf / "folder.yaml").mkdir()
    assert launchplan("site", "shelf", "-o", "out").out == "out: 5 recipes, 8 files\n"


def test_the_shipped_recipes(launchplan: Runner, files: Path) -> None:
    ran = launchplan("site", str(recipes_dir()), "-o", "out")
    count = len(list(recipes_dir().rglob("*.yaml")))
    assert (ran.code, ran.out, ran.err) == (0, f"out: {count} recipes, {3 * count + 2} files\n", "")
    assert {each["data-state"] for each in cards(files / "out").values()} <= {"clean", "warnings"}
