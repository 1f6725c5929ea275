"""YAML is read as JSON types only, and every value knows its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from launchplan.errors import InputError
from launchplan.finding import Location
from launchplan.source import parse_text, read_document

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text("utf-8"))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.text(st.characters(exclude_categories=["Cs", "Cc"])),
    lambda children: (
        st.lists(children, max_size=4) | st.dictionaries(st.text("abcde", max_size=3), children, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_text(case: dict[str, Any]) -> None:
    if "problems" not in case:
        assert parse_text(case["text"], "f").data == case["data"]
        return
    with pytest.raises(InputError) as caught:
        parse_text(case["text"], "f")
    shown = [f"{f.location}"[2:] + f" {f.code} {f.message} | {f.fix}" for f in caught.value.findings]
    assert [line.strip() for line in shown] == case["problems"]


def test_places_are_those_of_editors() -> None:
    document = parse_text("a: 1\nb:\n  c: [x, {d: 2}]\n", "f.yaml")
    assert document.locate(("b", "c", 1, "d")) == Location("f.yaml", 3, 14)
    assert document.locate(("b", "c", 1, "d"), key=True) == Location("f.yaml", 3, 11)
    assert document.locate(("b", "missing")) == Location("f.yaml", 2, 1)
    assert document.locate(("elsewhere",)) == Location("f.yaml", 1, 1)
    assert document.line(2) == "b:"
    assert document.line(99) == ""


def test_scalars_are_remembered_as_written() -> None:
    assert parse_text("v: 0.10\nn: 1_000\n", "f").written == {("v",): "0.10", ("n",): "1_000"}


@given(JSON)
def test_json_comes_back_as_it_was(data: Any) -> None:
    assert parse_text(json.dumps(data, ensure_ascii=False), "f").data == data


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, ("REC001", "no such file", "did you mean {folder}/recipe.yaml?")),
        (b"a: \xe9\n", ("REC001", "byte 0xe9 is not UTF-8", "save the file as UTF-8")),
    ],
    ids=["missing", "latin-1"],
)
def test_unreadable_files(tmp_path: Path, content: bytes | None, expected: tuple[str, str, str]) -> None:
    (tmp_path / "recipe.yaml").write_text("a: 1\n", "utf-8")
    path = tmp_path / "recipe.yml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_document(path)
    (found,) = caught.value.findings
    assert (found.code, found.message, found.fix) == (*expected[:2], expected[2].format(folder=tmp_path))


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a folder"):
        read_document(tmp_path)


def test_files_without_an_end_are_not_read_to_it() -> None:
    with pytest.raises(InputError, match="larger than 64 MiB, or without an end"):
        read_document(Path("/dev/zero"))
