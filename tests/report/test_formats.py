"""Every report format, whole outputs compared."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from launchplan import __version__
from launchplan.engines import Launch
from launchplan.finding import Finding, Location, Severity
from launchplan.layout import PoolLayout
from launchplan.report import (
    Checked,
    finding_text,
    github_report,
    json_report,
    sarif_report,
    text_report,
    titles,
    totals,
)
from launchplan.report.tables import table
from launchplan.rules import RULES, Rule

HERE = Path(__file__).parent
STAGES = {"PAR106": PoolLayout, "PAR108": PoolLayout, "ENG101": Launch}


def _rule(code: str, stage: type) -> Rule:
    return replace(RULES[0], code=code, stage=stage, doc="A title.\n\n## Why")


def _finding(raw: dict[str, Any]) -> Finding:
    return Finding(
        code=raw["code"],
        name=raw["name"],
        severity=Severity[raw["severity"].upper()],
        message=raw["message"],
        path=tuple(raw["path"]),
        location=Location(*raw["place"]),
        fix=raw.get("fix"),
        engine=raw.get("engine"),
        source=raw.get("source"),
        at=raw.get("at"),
    )


@pytest.fixture(scope="module")
def sample() -> Checked:
    raw = yaml.safe_load((HERE / "sample.yaml").read_text(encoding="utf-8"))
    rules = tuple(_rule(code, STAGES[code]) for code in raw["not_run"])
    findings = tuple(_finding(one) for one in raw["findings"])
    return Checked(raw["file"], findings, rules, {raw["file"]: raw["text"]})


def test_text(sample: Checked) -> None:
    assert text_report([sample]) == (HERE / "text.txt").read_text(encoding="utf-8")


def test_text_of_several_recipes_ends_with_one_summary(sample: Checked) -> None:
    report = text_report([Checked("a.yaml", ()), Checked("b.yaml", sample.findings[:1])])
    assert report.splitlines()[0] == (
        "recipes/a,b.yaml:2:16: error PAR101 tp-splits-heads: tp 12 does not divide 64 attention heads"
    )
    assert report.splitlines()[-1] == "2 recipes: 1 error"


def test_text_without_findings() -> None:
    assert text_report([Checked("a.yaml", ())]) == "no findings\n"


def test_colour_only_adds_colour(sample: Checked) -> None:
    plain, colored = text_report([sample]), text_report([sample], color=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31merror\x1b[0m \x1b[1mPAR101\x1b[0m" in colored
    for style in ("\x1b[1;31m", "\x1b[1;33m", "\x1b[1;36m", "\x1b[1;32m", "\x1b[1m", "\x1b[0m"):
        colored = colored.replace(style, "")
    assert colored == plain


@pytest.mark.parametrize(
    ("line", "column", "shown"),
    [
        ("a: b", 1, ["    a: b", "    ^"]),
        ("a: b", 99, ["    a: b", "        ^"]),  # a place behind the end stands at the end
        ("\ta: b", 2, ["     a: b", "     ^"]),
        ("k: 'it''s here' # note", 4, ["    k: 'it''s here' # note", "       ^^^^^^^^^^^^"]),
        ("   ", 1, []),
        ("a: \x1b[31mb", 1, ["    a: \ufffd[31mb", "    ^"]),
        (
            "{" + "a: 1, " * 50 + "tp: 12}",
            306,
            ["    ..." + "a: 1, " * 8 + "tp: 12}", " " * 4 + "   " + " " * 52 + "^^"],
        ),
        ("x" * 300, 1, ["    " + "x" * 100 + "...", "    " + "^" * 100]),
    ],
)
def test_excerpt(line: str, column: int, shown: list[str]) -> None:
    finding = Finding("REC006", "wrong-type", Severity.ERROR, "m", (), Location("f", 1, column))
    head, *rest = finding_text(finding, Checked("f", (), (), {"f": line})).splitlines()
    assert head == f"f:1:{column}: error REC006 wrong-type: m"
    if line.startswith("{"):
        text, marks = rest
        assert text.endswith("tp: 12}")
        assert text[marks.index("^") : marks.rindex("^") + 1] == "12"
        return
    assert rest == shown


def test_a_byte_order_mark_does_not_shift_the_marks() -> None:
    finding = Finding("REC006", "wrong-type", Severity.ERROR, "m", (), Location("f", 1, 4))
    assert finding_text(finding, Checked("f", (), (), {"f": "\ufeffa: b"})).splitlines()[1:] == [
        "    a: b",
        "       ^",
    ]


def test_github(sample: Checked) -> None:
    expected = (HERE / "github.txt").read_text(encoding="utf-8")
    assert github_report([sample]) == expected


def test_json(sample: Checked) -> None:
    expected = json.loads((HERE / "report.json").read_text(encoding="utf-8"))
    assert json.loads(json_report([sample])) == expected | {"launchplan": __version__}


def test_sarif(sample: Checked) -> None:
    report = json.loads(sarif_report([sample], {"PAR101": "Tensor parallel size does not divide the heads."}))
    jsonschema.Draft202012Validator(SARIF).validate(report)
    expected = json.loads((HERE / "report.sarif").read_text(encoding="utf-8"))
    expected["runs"][0]["tool"]["driver"]["version"] = __version__
    assert report == expected


def test_sarif_of_an_absolute_path() -> None:
    finding = Finding(
        "REC001", "unreadable-file", Severity.ERROR, "no such file", (), Location("/x y/a.yaml")
    )
    report = json.loads(sarif_report([Checked("/x y/a.yaml", (finding,))], {}))
    location = report["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location == {"artifactLocation": {"uri": "file:///x%20y/a.yaml"}}


def test_totals_count_each_severity(sample: Checked) -> None:
    counts = totals([sample, sample])
    assert (counts.errors, counts.warnings, counts.infos) == (4, 2, 2)
    assert str(counts) == "4 errors, 2 warnings, 2 infos"


def test_titles_know_rules_and_unreadable_input() -> None:
    known = titles([_rule("PAR101", PoolLayout)])
    assert known["PAR101"] == "A title."
    assert known["REC002"] == "the text is not YAML"


def test_table_lines_up_wide_text() -> None:
    assert table(("name", "n"), [("模型", "1"), ("ab\x07", "2")]) == "name    n\n模型    1\nab\\x07  2\n"


TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
RESULT = {
    "type": "object",
    "required": ["ruleId", "ruleIndex", "level", "message", "locations"],
    "properties": {
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT,
        "locations": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["physicalLocation"],
                "properties": {
                    "physicalLocation": {
                        "type": "object",
                        "required": ["artifactLocation"],
                        "additionalProperties": False,
                        "properties": {
                            "artifactLocation": {
                                "type": "object",
                                "required": ["uri"],
                                "properties": {"uri": {"type": "string", "pattern": "^[A-Za-z0-9_.~:/%-]+$"}},
                            },
                            "region": {
                                "type": "object",
                                "required": ["startLine"],
                                "properties": {
                                    "startLine": {"type": "integer", "minimum": 1},
                                    "startColumn": {"type": "integer", "minimum": 1},
                                },
                            },
                        },
                    }
                },
            },
        },
    },
}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "properties": {"shortDescription": TEXT},
                                        },
                                    }
                                },
                            }
                        },
                    },
                    "results": {"type": "array", "items": RESULT},
                },
            },
        },
    },
}
"""What SARIF 2.1.0 demands of the parts that the report uses."""
