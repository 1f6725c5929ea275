"""The flags of each release against what its parser was asked, where that lies beside the project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from launchplan import catalog

FOLDER = Path(__file__).parents[3] / "shared" / "facts" / "engines"
RELEASES = [
    (engine, version)
    for engine in ("vllm", "sglang", "sglang-router")
    for version in catalog.versions(engine)
]


@pytest.mark.parametrize(("engine", "version"), RELEASES)
def test_every_option_and_variable(engine: str, version: str) -> None:
    path = FOLDER / f"{engine}-{version}.flags.json"
    if not path.exists():
        pytest.skip("what the parsers were asked is not beside the project")
    facts = catalog.engine_facts(engine, version)
    assert facts is not None
    asked = json.loads(path.read_text(encoding="utf-8"))["flags"]
    ours = {(flag.dest, frozenset(flag.names)): flag for flag in facts.flags}
    theirs: dict[Any, Any] = {
        (row["dest"], frozenset(row.get("accepted") or row["options"])): row for row in asked
    }
    assert ours.keys() == theirs.keys()
    for key, row in theirs.items():
        flag = ours[key]
        choices = row.get("choices")
        assert (flag.choices and {*map(str, flag.choices)}) == (choices and {*map(str, choices)})
        assert flag.required == bool(row.get("required"))
        assert (flag.kind == "switch") == (row.get("nargs") == 0)
        assert (flag.kind == "list") == (row.get("nargs") in {"*", "+"})
    variables = FOLDER / f"{engine}-{version}.envs.json"
    if variables.exists():
        rows = json.loads(variables.read_text(encoding="utf-8"))["envs"]
        listed = {row["name"] for row in rows}
        # What modules read past the engine's own list is a bare name of the engine.
        others = [each for each in facts.variables if each.name not in listed]
        assert listed <= {each.name for each in facts.variables}
        assert all(each.type is None and each.name.startswith(("VLLM_", "SGL")) for each in others)
