"""Broken recipes by the hundred: each ends with 1 or 2, names its places, and never shows a traceback."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from launchplan import api
from launchplan.finding import Severity
from launchplan.source import parse_text

Runner = Callable[..., Any]
FILES = Path(__file__).parent / "files"
BASES = ("fine.yaml", "two-nodes.yaml", "pools.yaml")
PLACE = re.compile(r"case\.yaml:\d+:\d+: error [A-Z]{3}\d{3} [a-z0-9-]+: \S")
WHOLE_FILE = re.compile(
    r"case\.yaml: error REC00[12] [a-z-]+: (the file is empty|[\d,]+ characters are too many|nested too deep to be a recipe"
    r"|not YAML: (control|special) characters are not allowed)"
)
"""What is wrong with the file as a whole has no line."""

WRONG_VALUES: tuple[object, ...] = (
    [],
    [[[]]],
    {},
    {"a": {"b": 1}},
    "",
    "x",
    "\u202e\x85",
    -1,
    0,
    1e308,
    10**30,
    True,
    None,
)


def _walk(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from _walk(value, (*path, key))


def _data(base: str) -> Any:
    return parse_text((FILES / base).read_text(encoding="utf-8"), base).data


def _parent(data: Any, path: tuple[Any, ...]) -> Any:
    for part in path[:-1]:
        data = data[part]
    return data


def _changed() -> Iterator[tuple[str, bytes]]:
    """Delete, rename, and replace every key of every base."""
    for base in BASES:
        data = _data(base)
        for path in _walk(data):
            where = f"{base}:{'.'.join(map(str, path))}"
            for kind in ("delete", "rename", *range(len(WRONG_VALUES))):
                broken = copy.deepcopy(data)
                holder = _parent(broken, path)
                if kind == "delete":
                    del holder[path[-1]]
                elif kind == "rename":
                    holder[f"{path[-1]}x"] = holder.pop(path[-1])
                else:
                    holder[path[-1]] = WRONG_VALUES[int(kind)]
                yield f"{where}:{kind}", yaml.safe_dump(broken, sort_keys=False, allow_unicode=True).encode()


GOOD = (FILES / "fine.yaml").read_bytes()
TEXTS: dict[str, bytes] = {
    "empty": b"",
    "blank": b"\n\n",
    "comment": b"# nothing\n",
    "null": b"~\n",
    "scalar": b"vllm serve x\n",
    "list": b"- launchplan: 1\n",
    "command": b"vllm serve Qwen/Qwen3-8B --tensor-parallel-size 8\n",
    "bom": b"\xef\xbb\xbf" + GOOD.replace(b"tp: 8", b"tp: eight"),
    "crlf": GOOD.replace(b"tp: 8", b"tp: eight").replace(b"\n", b"\r\n"),
    "cr": GOOD.replace(b"tp: 8", b"tp: eight").replace(b"\n", b"\r"),
    "latin1": GOOD.replace(b"tests", b"caf\xe9"),
    "utf16": GOOD.decode().encode("utf-16"),
    "nul": GOOD.replace(b"tests", b"a\x00b"),
    "bell": GOOD.replace(b"tests", b"a\x07b"),
    "escape": GOOD.replace(b"tests", b"\x1b[31mred"),
    "escaped-control": GOOD.replace(b"name: fine", b'name: "\\x1b]0;owned\\x07"'),
    "escaped-nul": GOOD.replace(b"./config.json", b'"./a\\0b.json"'),
    "surrogate": GOOD.replace(b"name: fine", b'name: "\\ud800"'),
    "tab": GOOD.replace(b"model:", b"\tmodel:"),
    "tab-in-flow": GOOD.replace(b"{tp: 8}", b"\n\t{tp: 8\n\t]"),
    "unclosed": GOOD.replace(b"{tp: 8}", b"{tp: 8"),
    "unclosed-quote": GOOD.replace(b'"0.33.0"', b'"0.33.0'),
    "colon": GOOD.replace(b"name: fine", b"name: fine: really"),
    "at": GOOD.replace(b"name: fine", b"name: @fine"),
    "backtick": GOOD.replace(b"name: fine", b"name: `fine`"),
    "percent": b"%YAML 9.9\n---\n" + GOOD,
    "two-documents": GOOD + b"---\n" + GOOD,
    "duplicate": GOOD + b"name: other\n",
    "duplicate-inside": GOOD.replace(b"{tp: 8}", b"{tp: 8, tp: 4}"),
    "undefined-alias": GOOD.replace(b"name: fine", b"name: *other"),
    "tag": GOOD.replace(b"name: fine", b"name: !!python/object/apply:os.system [id]"),
    "own-tag": GOOD.replace(b"name: fine", b"name: !secret fine"),
    "tagged-number": GOOD.replace(b"tp: 8", b"tp: !!int eight"),
    "binary-tag": GOOD.replace(b"name: fine", b"name: !!binary aGk="),
    "timestamp-tag": GOOD.replace(b"name: fine", b"name: !!timestamp 2026-01-01"),
    "number-key": GOOD.replace(b"{tp: 8}", b"{1: 8}"),
    "null-key": GOOD.replace(b"{tp: 8}", b"{~: 8}"),
    "list-key": GOOD.replace(b"{tp: 8}", b"{[tp]: 8}"),
    "mapping-key": GOOD.replace(b"{tp: 8}", b"{{tp: 8}: 8}"),
    "deep-list": b"launchplan: 1\nname: " + b"[" * 50_000,
    "deep-closed": b"launchplan: 1\nargs: " + b"[" * 5_000 + b"]" * 5_000 + b"\n",
    "deep-mapping": b"".join(b" " * depth + b"a:\n" for depth in range(2_000)),
    "deep-json": b'{"launchplan": 1, "args": ' + b'{"a":' * 3_000 + b"1" + b"}" * 3_000 + b"}",
    "bomb": b"launchplan: 1\na: &a [x,x,x,x,x,x,x,x,x,x]\n"
    + b"".join(b"%c: &%c [%s]\n" % (98 + i, 98 + i, b",".join([b"*%c" % (97 + i)] * 10)) for i in range(9)),
    "self-reference": b"launchplan: 1\nargs: &a {b: *a}\n",
    "merge-a-scalar": GOOD.replace(b"{tp: 8}", b"{<<: 8}"),
    "too-long": b"# " + b"x" * 1_100_000 + b"\n" + GOOD,
    "long-value": GOOD.replace(b"{gpu: h100", b"{gpu: [" + b"x" * 100_000 + b"]"),
    "model-is-recipe": GOOD.replace(b"./config.json", b"./case.yaml"),
    "model-loop": GOOD.replace(b"./config.json", b"./loop"),
    "version-number": GOOD.replace(b'"0.33.0"', b"0.33"),
    "version-1.1": GOOD.replace(b'"0.33.0"', b"0.10"),
    "octal": GOOD.replace(b"tp: 8", b"tp: 010"),
    "hex": GOOD.replace(b"tp: 8", b"tp: 0x8"),
    "sexagesimal": GOOD.replace(b"tp: 8", b"tp: 1:30"),
    "yes": GOOD.replace(b"tp: 8", b"tp: yes"),
    "float": GOOD.replace(b"tp: 8", b"tp: 8.0"),
    "inf": GOOD.replace(b"tp: 8", b"tp: .inf"),
    "nan": GOOD.replace(b"tp: 8", b"tp: .nan"),
    "exponent": GOOD.replace(b"tp: 8", b"tp: 8e0"),
    "huge-exponent": GOOD.replace(b"tp: 8", b"tp: 1e999"),
    "huge": GOOD.replace(b"tp: 8", b"tp: " + b"9" * 5_000),
    "comma": GOOD.replace(b"tp: 8", b"tp: 8,0"),
    "quoted": GOOD.replace(b"tp: 8", b'tp: "8"'),
    "negative": GOOD.replace(b"tp: 8", b"tp: -8"),
    "zero": GOOD.replace(b"tp: 8", b"tp: 0"),
    "unknown-engine": GOOD.replace(b"name: vllm", b"name: tensorrt-llm"),
    "unknown-flag": GOOD + b"args: {tensor-paralel-size: 8}\n",
    "flag-twice": GOOD + b"args: {tensor-parallel-size: 8}\n",
    "flag-with-dashes": GOOD + b'args: {"--tensor-paralel-size": 8}\n',
    "flag-value": GOOD + b"args: {max-num-seqs: many}\n",
    "empty-flag": GOOD + b'args: {"": 1}\n',
    "env-number": GOOD + b"env: {A: 1}\n",
    "env-name": GOOD + b'env: {"A B": "1"}\n',
    "too-many-ranks": GOOD.replace(b"tp: 8", b"tp: 1000000000"),
    "too-many-nodes": GOOD.replace(b"gpus_per_node: 8", b"gpus_per_node: 8, nodes: 1000000000"),
    "format-2": GOOD.replace(b"launchplan: 1", b"launchplan: 2"),
    "format-true": GOOD.replace(b"launchplan: 1", b"launchplan: true"),
    "no-format": GOOD.replace(b"launchplan: 1\n", b""),
    "template": GOOD.replace(b"tp: 8", b"tp: {{ tp }}"),
    "shell": GOOD.replace(b"name: fine", b"name: $(id)"),
    "path-name": GOOD.replace(b"name: fine", b"name: ../../etc/passwd"),
    "emoji": GOOD.replace(b"name: fine", "name: 🚀".encode()),
}


@pytest.fixture
def case(files: Path) -> Path:
    (files / "loop").symlink_to("loop")
    return files / "case.yaml"


def _check(content: bytes, case: Path, launchplan: Runner) -> int:
    case.write_bytes(content)
    ran = launchplan("check", "case.yaml")
    assert ran.err == ""
    assert ran.code in {0, 1, 2}
    errors = [line for line in ran.out.splitlines() if re.match(r"\S+: error ", line)]
    assert bool(errors) == (ran.code != 0), ran.out
    for line in errors:
        assert PLACE.match(line) or WHOLE_FILE.match(line), line
        assert line.isprintable(), line
    return int(ran.code)


@pytest.mark.parametrize("name", TEXTS)
def test_broken_text(name: str, case: Path, launchplan: Runner) -> None:
    assert TEXTS[name] != GOOD
    assert _check(TEXTS[name], case, launchplan) in {1, 2}


@pytest.mark.parametrize("base", BASES)
def test_every_key_deleted_renamed_and_replaced(base: str, case: Path, launchplan: Runner) -> None:
    codes = [_check(content, case, launchplan) for name, content in _changed() if name.startswith(base)]
    assert len(codes) > 200
    assert codes.count(1) + codes.count(2) > 130  # the others are recipes again


@pytest.mark.parametrize("suffix", ["show", "render"])
def test_other_commands_refuse_broken_text_alike(suffix: str, case: Path, launchplan: Runner) -> None:
    for content in list(TEXTS.values())[::3]:
        case.write_bytes(content)
        options = ("-o", "out") if suffix == "render" else ()
        ran = launchplan(suffix, "case.yaml", *options)
        assert ran.code in {1, 2}
        # What would be run is shown all the same, where the text is a recipe.
        assert ran.out == "" or (suffix, ran.code) == ("show", 1)
        assert ran.err.startswith("case.yaml")
        assert not Path("out").exists()


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(sorted({str(path[-1]) for base in BASES for path in _walk(_data(base))}))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(KEYS | st.text(max_size=12), JSON, max_size=8), st.sampled_from(BASES))
def test_any_mapping_is_judged(changes: dict[str, Any], base: str) -> None:
    data = _data(base)
    for recipe in (changes, data | {"model": str(FILES / "config.json")} | changes):
        before = json.dumps(recipe)
        report = api.check(recipe)
        assert json.dumps(recipe) == before
        assert report.ok == all(finding.severity is not Severity.ERROR for finding in report.findings)
        assert report.readable or not report.ok
