"""Verdicts of real parsers on random command lines: known flags, abbreviations, wrong and missing values.

vLLM 0.32.0 (a CPU build, whose flags as `launchplan engine record` read them lie beside the verdicts) and
SGLang 0.5.23. Rows marked `config` are refused for the keys inside a JSON value, which rules look at.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from launchplan import catalog
from launchplan.catalog import EngineFacts
from launchplan.engines.arguments import Word
from launchplan.engines.reading import read_words

HERE = Path(__file__).parent


def facts_of(engine: str, folder: Path) -> EngineFacts:
    if engine == "sglang":
        facts = catalog.engine_facts("sglang", "0.5.23")
        assert facts is not None
        return facts
    file = folder / "facts.yaml"
    file.write_bytes(gzip.decompress((HERE / "real-vllm-0.32.0.yaml.gz").read_bytes()))
    return catalog.read_engine_facts(file)


@pytest.mark.parametrize(("engine", "taken"), [("vllm", 1224), ("sglang", 1044)])
def test_verdicts_are_those_of_the_real_parser(engine: str, taken: int, tmp_path: Path) -> None:
    facts = facts_of(engine, tmp_path)
    text = gzip.decompress((HERE / f"real-{engine}.jsonl.gz").read_bytes()).decode("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    assert (len(rows), sum(row[1] for row in rows)) == (2000, taken)
    apart = []
    with catalog.given_facts(facts):
        for texts, accepted, *note in rows:
            words = [Word(word, index) for index, word in enumerate(texts)]
            found = read_words(engine, facts.version, words)
            assert found is not None
            if note != ["config"] and (found.refusal is None) is not accepted:
                apart.append((texts, accepted, found.refusal))
    assert apart == []
