"""Each rule against its own two recipes: one that breaks it and one that keeps it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from launchplan import rules
from launchplan.finding import Finding, Severity
from launchplan.pipeline import Plan, make_plan
from launchplan.rules import RULES, Rule

CASES = Path(__file__).parent
HEADINGS = ("## Why", "## Fix", "## References")
BY_CODE = {rule.code: rule for rule in RULES}
CODES = sorted(BY_CODE)


def plan_of(code: str, kind: str) -> Plan:
    folder = CASES / code
    cluster = folder / f"{kind}.cluster.yaml"
    return make_plan(folder / f"{kind}.yaml", cluster if cluster.exists() else None)


def findings(code: str, kind: str) -> tuple[Finding, ...]:
    plan = plan_of(code, kind)
    assert code not in {rule.code for rule in plan.not_run}
    return tuple(finding for finding in plan.findings if finding.code == code)


def line(finding: Finding) -> str:
    assert finding.location is not None
    place = f"{finding.location.line}:{finding.location.column}"
    fix = f" fix: {finding.fix}" if finding.fix else ""
    return f"{finding.severity.word} {finding.code} {finding.name}: {finding.message} [{place}]{fix}\n"


@pytest.mark.parametrize("code", CODES)
def test_bad_recipe_is_found(code: str, update_golden: bool) -> None:
    found = "".join(line(finding) for finding in findings(code, "bad"))
    expected = CASES / code / "bad.txt"
    if update_golden:
        expected.write_text(found, encoding="utf-8")
    assert found
    assert found == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("code", CODES)
def test_good_recipe_is_not(code: str) -> None:
    assert findings(code, "good") == ()
    errors = [finding for finding in plan_of(code, "good").findings if finding.severity is Severity.ERROR]
    assert errors == []


def test_every_case_has_a_rule() -> None:
    folders = {path.name for path in CASES.iterdir() if re.fullmatch(r"[A-Z]{3}\d{3}", path.name)}
    assert folders == {*CODES}


def test_every_rule_is_in_its_table() -> None:
    package = Path(rules.__file__).parent
    written = {
        path.relative_to(package).with_suffix("").as_posix()
        for path in package.glob("*/*.py")
        if re.search(r"^@\w*rule\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    listed = [rule.check.__module__.removeprefix("launchplan.rules.").replace(".", "/") for rule in RULES]
    assert sorted(listed) == sorted(written)


def test_codes_and_names_are_unique() -> None:
    assert len(BY_CODE) == len(RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_rule_says_why_and_how(rule: Rule) -> None:
    places = [rule.doc.find(f"\n{heading}\n") for heading in HEADINGS]
    assert -1 not in places
    assert places == sorted(places)
    assert rule.title.endswith(".")
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)


@pytest.mark.parametrize("code", CODES)
def test_messages_keep_the_style(code: str) -> None:
    for finding in findings(code, "bad"):
        assert len(finding.message) <= 110, finding.message
        for text in (finding.message, finding.fix or "x"):
            assert text
            assert not text.endswith((".", " ", ","))
            assert "\n" not in text
