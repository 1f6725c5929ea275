"""Raw flags say on the command line what they say in the recipe."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan import catalog
from launchplan.engines.arguments import Word, read_arguments
from launchplan.engines.flags import raw_flag

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "raw_flags.yaml").read_text("utf-8"))
VERSIONS = {"vllm": "0.33.0", "sglang": "0.5.23"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["args"]))
def test_words(case: dict[str, Any]) -> None:
    facts = catalog.engine_facts(case["engine"], VERSIONS[case["engine"]])
    words: list[str] = []
    for name, value in case["args"].items():
        made = raw_flag(name, value, facts, ("args", name))
        if made is not None:
            words += [made.name, *("".join(map(str, value)) for value in made.values)]
    assert words == shlex.split(case["words"])


@pytest.mark.parametrize("engine", sorted(VERSIONS))
def test_every_spelling_of_a_switch_means_what_it_says(engine: str) -> None:
    facts = catalog.engine_facts(engine, VERSIONS[engine])
    assert facts is not None
    model = ["m"] if engine == "vllm" else ["--model-path", "m"]
    for flag in facts.flags:
        if flag.kind != "switch" or flag.action == "help":
            continue
        for name in flag.names:
            for value in (True, False):
                made = raw_flag(name.lstrip("-"), value, facts, ())
                words = model + ([made.name] if made else [])
                read = read_arguments(facts, [Word(word, index) for index, word in enumerate(words)])
                wanted = value != (name in flag.off_names)
                assert read.refusal is None
                assert read[flag.dest] == wanted or (not wanted and made is None)
