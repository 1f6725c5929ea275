"""What became of flags: the computed spans, the changes told by hand, and what is safe to rewrite."""

from __future__ import annotations

import pytest

from launchplan import catalog
from launchplan.catalog import FlagHistory
from launchplan.catalog.history import FOLDER, FlagChanges, spans_of, spans_text
from launchplan.catalog.load import read_fact
from launchplan.catalog.version import version_key
from launchplan.engines.arguments import Word
from launchplan.engines.reading import read_words

ENGINES = ("vllm", "sglang")
CHANGES = [
    (engine, change)
    for engine in ENGINES
    for change in read_fact(FlagChanges, FOLDER / f"{engine}.yaml").changes
]


def history(engine: str) -> FlagHistory:
    found = catalog.flag_history(engine)
    assert found is not None
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_spans_are_those_of_the_flags(engine: str) -> None:
    assert (FOLDER / f"{engine}.spans.yaml").read_text(encoding="utf-8") == spans_text(spans_of(engine))


def test_every_spelling_that_a_release_took_away_is_explained() -> None:
    newest = catalog.engine_facts("vllm", catalog.versions("vllm")[-1])
    assert newest is not None
    gone = [span.name for span in spans_of("vllm").spans if newest.find(span.name) is None]
    known = history("vllm")
    unexplained = {name for name in gone if known.change(name) is None and not name.startswith("--no-")}
    assert unexplained == {"--enable-bf16x3-router-gemm", "--enable-mamba-fine-grained-prefix-cache"}


@pytest.mark.parametrize(("engine", "change"), CHANGES, ids=lambda value: getattr(value, "name", value))
def test_a_change_agrees_with_the_flags(engine: str, change: catalog.FlagChange) -> None:
    newest = catalog.versions(engine)[-1]
    facts = catalog.engine_facts(engine, newest)
    assert facts is not None
    if change.removed is not None:
        spans = history(engine).spans(change.name)
        assert all(version_key(last) < version_key(change.removed) for _, last in spans)
    words = [*change.replaced_by, *(word for each in change.values.values() for word in each)]
    flags = [word.partition(".")[0] for word in words if word.startswith("--")]
    assert [name for name in flags if facts.find(name) is None] == []
    assert change.replaced_by or change.hint
    assert not change.safe or change.replaced_by or change.values or change.drop
    assert not change.drop or change.safe


@pytest.mark.parametrize(("engine", "change"), CHANGES, ids=lambda value: getattr(value, "name", value))
def test_what_is_rewritten_is_read(engine: str, change: catalog.FlagChange) -> None:
    newest = catalog.versions(engine)[-1]
    model = ["m"] if engine == "vllm" else ["--model-path", "m"]
    for value in [None, "3", "16k", *change.values]:
        words = history(engine).rewrite(change.name, value, newest)
        if words is None or value == "16k":
            continue
        read = read_words(engine, newest, [Word(text, i) for i, text in enumerate([*model, *words])])
        assert read is not None
        assert read.refusal is None


@pytest.mark.parametrize(
    ("engine", "name", "version", "past"),
    [
        ("vllm", "--task", "0.33.0", "removed in 0.13.0"),
        ("vllm", "--task", "0.11.2", None),
        ("vllm", "--swap_space", "0.18.0", "removed in 0.18.0"),
        ("vllm", "--num-redundant-experts", "0.33.0", "removed after 0.11.2"),
        ("vllm", "--disable-log-requests", "0.20.2", "removed after 0.15.1"),
        ("vllm", "--disable-log-requests", "0.33.0", None),
        ("vllm", "--watermark", "0.20.2", "exists from 0.24.0 (not in 0.20.2)"),
        ("vllm", "--use-v2-block-manager", "0.33.0", "no release since 0.11.2 has it"),
        ("vllm", "--dcp-kv-cache-interleave-size", "0.33.0", None),
        ("vllm", "--tensor-parallel-size", "0.33.0", None),
        ("vllm", "--no-such-flag", "0.33.0", None),
        ("sglang", "--enable-ep-moe", "0.5.23", "removed in 0.5.3"),
    ],
)
def test_past(engine: str, name: str, version: str, past: str | None) -> None:
    found = history(engine).past(name, version)
    assert (found and found[0]) == past


@pytest.mark.parametrize(
    ("engine", "name", "value", "version", "words"),
    [
        ("vllm", "--num-redundant-experts", "32", "0.33.0", ("--eplb-config.num_redundant_experts", "32")),
        ("vllm", "--disable-mm-preprocessor-cache", None, "0.33.0", ("--mm-processor-cache-gb", "0")),
        ("vllm", "--disable-mm-preprocessor-cache", "x", "0.33.0", None),
        ("vllm", "--swap-space", "4", "0.33.0", ()),
        ("vllm", "--task", "generate", "0.33.0", ("--runner", "generate")),
        ("vllm", "--task", "embed", "0.33.0", None),
        ("vllm", "--max-num-partial-prefills", "1", "0.33.0", ()),
        ("vllm", "--max-num-partial-prefills", "4", "0.33.0", None),
        ("vllm", "--dcp-kv-cache-interleave-size", "8", "0.11.2", None),
        ("vllm", "--rope-scaling", "{}", "0.33.0", None),
        ("vllm", "--no-such-flag", "1", "0.33.0", None),
        ("sglang", "--enable-deepep-moe", None, "0.5.23", ("--moe-a2a-backend", "deepep")),
    ],
)
def test_rewrite(
    engine: str, name: str, value: str | None, version: str, words: tuple[str, ...] | None
) -> None:
    assert history(engine).rewrite(name, value, version) == words


def test_engines_without_a_past() -> None:
    assert catalog.flag_history("sglang-router") is None
