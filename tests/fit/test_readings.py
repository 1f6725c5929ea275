"""A rule is run again only where what it sees is new."""

from __future__ import annotations

from launchplan.fit.facts import FACTS, mask
from launchplan.fit.readings import Read, Readings


def values(**facts: object) -> tuple[object, ...]:
    return tuple(facts.get(name, 0) for name in FACTS)


def test_a_path_ends_where_the_rule_was_done() -> None:
    """A rule that looks at the draft only beyond one rank: alone, drafts do not matter to it."""
    readings = Readings()
    tp, draft = Read("tp", mask("tp"), 1), Read("draft", mask("speculative"), "mtp")
    readings.keep("X", values(tp=1, speculative="mtp"), (tp,), refuses=False)
    assert readings.find("X", values(tp=1, speculative=None)) is False
    assert readings.find("X", values(tp=2, speculative="mtp")) is None
    two = Read("tp", mask("tp"), 2)
    readings.keep("X", values(tp=2, speculative="mtp"), (two, draft), refuses=True)
    assert readings.find("X", values(tp=2, speculative="mtp")) is True
    assert readings.find("X", values(tp=2, speculative=None)) is None
    assert readings.find("Y", values(tp=1)) is None


def test_values_lead_on_and_not_the_facts_behind_them() -> None:
    """Two GPUs with the same batch have the same verdict, once each has been seen."""
    readings = Readings()
    facts = mask("gpu.id")
    one, other = values(**{"gpu.id": "h100"}), values(**{"gpu.id": "h200"})
    readings.keep("X", one, (Read("batch", facts, 8192),), refuses=True)
    assert readings.find("X", other) is None
    readings.keep("Y", other, (Read("batch", facts, 8192),), refuses=False)
    assert readings.find("X", other) is True


def test_a_value_that_is_not_plain_stands_for_its_facts() -> None:
    readings = Readings()
    facts = mask("speculative")
    readings.keep("X", values(speculative=1), (Read("config", facts, {"tokens": 3}),), refuses=True)
    assert readings.find("X", values(speculative=1)) is True
    readings.keep("Y", values(speculative=2), (Read("config", facts, {"tokens": 3}),), refuses=True)
    assert readings.find("X", values(speculative=2)) is None


def test_equal_values_of_different_types_are_different() -> None:
    readings = Readings()
    facts = mask("ep")
    readings.keep("X", values(ep=1), (Read("ep", facts, 1),), refuses=True)
    readings.keep("Y", values(ep=2), (Read("ep", facts, True),), refuses=True)
    assert readings.find("X", values(ep=2)) is None
