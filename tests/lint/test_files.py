"""Files that hold commands, each with what is found in it: `files/found`, and `files/fine` without an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from launchplan.finding import Severity
from launchplan.lint import Site, lint_text
from launchplan.report import Checked, text_report

FILES = Path(__file__).with_name("files")
PAIRS = sorted(path for path in FILES.glob("*/*") if path.suffix != ".txt")
FINE = [path for path in PAIRS if path.parent.name == "fine"]


def report(path: Path) -> str:
    linted = lint_text(path.read_text(encoding="utf-8"), path.name, Site())
    commands = "".join(
        f"{linted.file.location(each.launch.tokens[each.launch.program].start)}: {each.launch.engine} {each.version}\n"
        for each in linted.judged
    )
    check = Checked(path.name, linted.findings, (), {path.name: linted.file.text})
    return f"{linted.kind}\n{commands}\n{text_report([check])}"


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_is_found_in_a_file(path: Path, update_golden: bool) -> None:
    expected = path.with_name(f"{path.name}.txt")
    found = report(path)
    if update_golden:
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FINE, ids=lambda path: path.name)
def test_what_is_fine_gets_no_error(path: Path) -> None:
    linted = lint_text(path.read_text(encoding="utf-8"), path.name, Site())
    assert linted.readable
    assert linted.judged
    assert [each for each in linted.findings if each.severity is Severity.ERROR] == []
