"""Generated pages are current, complete and true; links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from launchplan import api
from launchplan.cli.app import run
from launchplan.finding import Severity
from launchplan.recipe import load_cluster
from launchplan.report import examples
from launchplan.report.pages import Case, rule_page, rules_index
from launchplan.report.schemas import file_schema
from launchplan.rules import RULES, Rule
from launchplan.source import parse_text

ROOT = Path(__file__).parents[2]
CASES = str(ROOT / "tests" / "rules")
CONFORMANCE = (
    "--conformance", str(ROOT / "tests" / "conformance"), "--public", str(ROOT / "tests" / "cases")
)  # fmt: skip
LINK = re.compile(r"(?<!\!)\[[^\]]+\]\(([^)#\s]+)(?:#[^)]*)?\)")
RECIPE: Mapping[str, Any] = {
    "launchplan": 1,
    "name": "example",
    "model": "Qwen/Qwen3-32B",
    "engine": {"name": "vllm", "version": "0.33.0"},
    "hardware": {"gpu": "h100", "gpus_per_node": 8},
}


def test_pages_are_current(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["docs", "--check", str(ROOT / "docs"), "--cases", CASES, *CONFORMANCE])
    assert (code, capsys.readouterr().out) == (0, "")


def test_what_is_not_current_is_named_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs", "--write", str(tmp_path), "--cases", CASES, *CONFORMANCE]) == 0
    (tmp_path / "cli.md").write_text("edited")
    (tmp_path / "schema" / "recipe.schema.json").unlink()
    (tmp_path / "rules" / "OLD101.md").write_text("a rule of before")
    (tmp_path / "quickstart.md").write_text("by hand")
    assert run(["docs", "--check", str(tmp_path), "--cases", CASES, *CONFORMANCE]) == 1
    assert capsys.readouterr().out.replace(f"{tmp_path}/", "") == (
        "cli.md: not current\nschema/recipe.schema.json: missing\nrules/OLD101.md: not made any more\n"
    )
    assert run(["docs", "--write", str(tmp_path), "--cases", CASES, *CONFORMANCE]) == 0
    assert run(["docs", "--check", str(tmp_path), "--cases", CASES, *CONFORMANCE]) == 0
    assert (tmp_path / "quickstart.md").read_text() == "by hand"
    assert not (tmp_path / "rules" / "OLD101.md").exists()


def test_a_rule_without_example_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs", "--check", str(ROOT / "docs"), "--cases", str(tmp_path), *CONFORMANCE]) == 2
    missing = tmp_path / RULES[0].code / "bad.yaml"
    assert capsys.readouterr().err == f"error: the example of a rule is missing: {missing}\n"


def test_every_rule_has_its_page_and_its_line_in_the_index() -> None:
    index = (ROOT / "docs" / "rules" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \[([A-Z]{3}\d{3})\]\(\1\.md\)", index, re.MULTILINE) == [
        rule.code for rule in RULES
    ]
    pages = sorted(path.stem for path in (ROOT / "docs" / "rules").glob("*.md"))
    assert pages == sorted(["README", *(rule.code for rule in RULES)])


def test_every_key_stands_in_the_reference() -> None:
    for kind in ("recipe", "cluster"):
        page = (ROOT / "docs" / f"{kind}.md").read_text(encoding="utf-8")
        schema = file_schema(kind)
        sections = [schema, *(part for part in schema["$defs"].values() if "properties" in part)]
        for section in sections:
            for key in section["properties"]:
                assert f"| `{key}` |" in page, f"{kind}: {section['title']}.{key}"


@pytest.mark.parametrize("name", examples.RECIPE)
def test_recipe_examples_are_right(name: str) -> None:
    data = {**RECIPE, **parse_text(examples.RECIPE[name], name).data}
    if "pools" in data:
        data["hardware"] = {"gpu": "h100", "nodes": 1, "gpus_per_node": 8, "fabric": "infiniband"}
    report = api.check(data)
    assert [(f.code, f.message) for f in report.findings if f.code.startswith(("REC", "ENG"))] == []
    assert report.readable


@pytest.mark.parametrize("name", examples.CLUSTER)
def test_cluster_examples_are_right(name: str) -> None:
    load_cluster({"launchplan": 1, "name": "example", **parse_text(examples.CLUSTER[name], name).data})


def test_every_section_has_an_example() -> None:
    for kind, table in (("recipe", examples.RECIPE), ("cluster", examples.CLUSTER)):
        schema = file_schema(kind)  # type: ignore[arg-type] # the two kinds
        sections = {
            schema["title"],
            *(name for name, part in schema["$defs"].items() if "properties" in part),
        }
        assert sections == set(table)


def _links() -> Iterator[tuple[Path, str]]:
    for document in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")):
        text = re.sub(
            r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
        )
        for target in LINK.findall(text):
            if "://" not in target:
                yield document, target


def test_links_lead_somewhere() -> None:
    links = list(_links())
    assert len(links) > len(RULES)
    assert [
        (str(document), target) for document, target in links if not (document.parent / target).exists()
    ] == []


def test_page_of_a_rule_escapes_what_markdown_would_read() -> None:
    index = rules_index(RULES[:1], [("REC1", "name", "a | b <c>")])
    assert "| REC1 | name | a \\| b &lt;c> |" in index
    page = rule_page(RULES[0], Case("a: ```\n", "said\n", "b: 1\n"))
    assert "````yaml\na: ```\n````" in page


@pytest.mark.parametrize(
    ("case", "shown"),
    [
        (
            Case("a: 1", "said", "b: 1", config="{}"),
            ["This recipe breaks it:", "a: 1", "and this `config.json` beside it:", "{}", "launchplan finds:",
             "said", "This one is fine:", "b: 1"],
        ),
        (
            Case("a: 1", "said", "a: 1", "nodes: 1", "nodes: 2"),
            ["This recipe breaks it:", "a: 1", "with this cluster file:", "nodes: 1", "launchplan finds:", "said",
             "The same recipe is fine with this cluster file:", "nodes: 2"],
        ),
        (
            Case("a: 1", "said", "a: 1", "nodes: 1"),
            ["This recipe breaks it:", "a: 1", "with this cluster file:", "nodes: 1", "launchplan finds:", "said",
             "Without the cluster file it is fine."],
        ),
        (
            Case("a: 1", "said", "b: 1", "nodes: 1", "nodes: 2"),
            ["This recipe breaks it:", "a: 1", "with this cluster file:", "nodes: 1", "launchplan finds:", "said",
             "This one is fine:", "b: 1", "with this cluster file:", "nodes: 2"],
        ),
    ],
)  # fmt: skip
def test_page_shows_every_file_of_the_case(case: Case, shown: list[str]) -> None:
    _, _, example = rule_page(RULES[0], case).partition("## Example\n")
    lines = [line for line in example.splitlines() if line and not line.startswith("```")]
    assert lines == shown


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_page_of_a_rule_tells_its_two_recipes_apart(rule: Rule) -> None:
    page = (ROOT / "docs" / "rules" / f"{rule.code}.md").read_text(encoding="utf-8")
    blocks = re.findall(
        r"^(`{3,})(?:yaml|json)\n(.*?)\n\1$", page.partition("## Example")[2], re.MULTILINE | re.DOTALL
    )
    texts = [text for _, text in blocks]
    assert len(set(texts)) == len(texts)


def test_an_error_is_never_said_to_start() -> None:
    for rule in RULES:
        page = (ROOT / "docs" / "rules" / f"{rule.code}.md").read_text(encoding="utf-8")
        if rule.severity is Severity.ERROR:
            assert "nothing: it starts" not in page, rule.code
