"""Command lines of known flags, for property tests."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from launchplan.catalog import EngineFacts, Flag

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
VALUES: dict[str | None, st.SearchStrategy[str]] = {
    "str": TEXT,
    "int": st.integers(-99, 99999).map(str),
    "float": st.floats(-9, 9).map(str),
    "bool": st.sampled_from(["true", "False"]),
    "human-int": st.sampled_from(["4k", "1.5m", "4K", "16", "-1"]),
    "human-int-or-auto": st.sampled_from(["auto", "4k", "-1"]),
    "si-int": st.sampled_from(["4k", "1.5M", "4Ki", "7"]),
    "json": JSON.map(json.dumps),
    "json-object": st.dictionaries(TEXT, JSON, max_size=2).map(json.dumps),
    "json-or-str": TEXT | st.dictionaries(TEXT, JSON, max_size=2).map(json.dumps),
    "lora-module": st.sampled_from(["a=/b", '{"name": "a", "path": "/b"}']),
}


def value_of(flag: Flag) -> st.SearchStrategy[str]:
    if flag.choices is not None:
        return st.sampled_from([str(choice) for choice in flag.choices if choice is not None])
    return VALUES.get(flag.type, TEXT)


@st.composite
def words_of(draw: st.DrawFn, facts: EngineFacts) -> list[str]:
    words = ["org/model"] if facts.engine == "vllm" else ["--model-path", "org/model"]
    known = [flag for flag in facts.flags if flag.names and flag.action != "help"]
    for flag in draw(st.lists(st.sampled_from(known), max_size=4, unique_by=lambda flag: flag.dest)):
        if flag.dest in {"config", "model_path"}:
            continue
        name = draw(st.sampled_from(flag.names))
        if flag.kind == "switch":
            words.append(name)
        elif flag.kind == "list":
            values = draw(st.lists(value_of(flag), min_size=1, max_size=3))
            words += [name, *(value for value in values if not value.startswith("-"))]
        elif draw(st.booleans()):
            words.append(f"{name}={draw(value_of(flag))}")
        else:
            words += [name, draw(value_of(flag))]
    return words
