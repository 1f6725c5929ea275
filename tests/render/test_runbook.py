"""The runbook says what the plan says: commands, numbers, expected output; in Markdown and in the page."""

from __future__ import annotations

import ast
import json
import re
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from launchplan import api
from launchplan.engines import Launch, Process
from launchplan.engines.commands import bare_text, command_text, environment, exports
from launchplan.render import Bundle, render_bundle
from launchplan.render.runbook.client import (
    image_block,
    python_block,
    python_literal,
    stream_block,
    tool_block,
)
from launchplan.render.shell.endpoint import endpoint
from launchplan.report.memory_json import memory_json
from launchplan.resources import recipes_dir
from launchplan.rules import RULES
from tests.render.kit import CASES, case_bundle, case_launch, make_launch
from tests.render.pages import (
    Element,
    markdown_blocks,
    markdown_tables,
    page_blocks,
    page_tables,
    read_page,
)
from tests.render.test_preflight import DF, DU, NVIDIA, SS, check, host_of, says
from tests.render.test_requests import Server, message, models, serving

SHIPPED = sorted(recipes_dir().rglob("*.yaml"))
GIB = 1024**3
WIDE = {
    "launchplan": 1,
    "name": "wide",
    "model": "moonshotai/Kimi-K3",
    "engine": {"name": "vllm", "version": "0.33.0"},
    "hardware": {"gpu": "h200", "nodes": 8, "gpus_per_node": 8, "fabric": "infiniband"},
    "parallel": {"tp": 4, "dp": 16, "ep": 64},
    "serve": {"trust_remote_code": True, "features": ["tools", "reasoning"]},
    "workload": {"concurrency": 200, "context_tokens": 20000},
}


@cache
def shipped(path: Path, *targets: str) -> Bundle:
    return api.render(path, targets=targets or ("shell",), force=True)


def launch_of(path: Path) -> Launch:
    plan = api.check(path).plan
    assert plan is not None
    assert plan.launch is not None
    return plan.launch


def text_of(bundle: Bundle) -> str:
    return bundle.files["RUNBOOK.md"].decode()


def page_of(bundle: Bundle) -> Element:
    return read_page(bundle.files["runbook.html"])


def as_shown(launch: Launch, process: Process) -> str:
    return "\n".join((*exports(launch, process), command_text(process, wrap=True)))


@pytest.mark.parametrize("targets", [("shell",), ("runbook",)])
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_commands_are_those_that_show_prints(path: Path, targets: tuple[str, ...]) -> None:
    bundle, launch = shipped(path, *targets), launch_of(path)
    expected = [as_shown(launch, process) for process in launch.processes]
    _, _, full = text_of(bundle).partition("\n## The commands in full\n")
    assert markdown_blocks(full) == [("bash", command) for command in expected]
    blocks = page_blocks(page_of(bundle))
    assert [blocks[f"command of {process.name}"] for process in launch.processes] == expected


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_commands_lint_and_are_the_argv_of_the_scripts(path: Path) -> None:
    launch = launch_of(path)
    blocks = page_blocks(page_of(shipped(path)))
    for process in launch.processes:
        if process.role == "router":
            continue
        pool = next(each for each in launch.layout.resolved.pools if each.role == process.role)
        report = api.lint(
            blocks[f"command of {process.name}"],
            gpu=pool.gpu.id if pool.gpu else None,
            nodes=pool.nodes,
            gpus_per_node=pool.gpus_per_node,
            version=pool.deployment.version,
        )
        assert [each.message for each in report.findings if each.severity is api.Severity.ERROR] == []
        assert report.plan is not None
        made = report.plan.views[0]
        # What only the site knows, lint does not know either.
        given = {
            each.name: bare_text(each.value)
            for each in environment(launch, process)
            if all(isinstance(part, str) for part in each.value)
        }
        assert made.env == given
        assert made.arguments.given.keys() == {
            flag.dest
            for each in process.flags
            if (flag := pool.deployment.facts.find(each.name) if pool.deployment.facts else None)
        } | ({"model_path"} if pool.deployment.engine == "sglang" else set())


@pytest.mark.parametrize("case", CASES)
def test_both_files_have_the_same_commands(case: str) -> None:
    bundle = case_bundle(case)
    runs = {text for language, text in markdown_blocks(text_of(bundle)) if language in {"bash", "python"}}
    assert set(page_blocks(page_of(bundle)).values()) == runs


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_numbers_are_those_of_memory_json(path: Path) -> None:
    report = api.memory(path)
    pools: list[dict[str, Any]] = json.loads(memory_json(report.pools, report.unknown))["pools"]
    assert pools
    bundle = shipped(path)
    tables = page_tables(page_of(bundle))
    of_markdown = markdown_tables(text_of(bundle))
    terms = [table[1:] for table in of_markdown if table[0][:2] == ["term", "GiB"]]
    capacities = [table[1:] for table in of_markdown if table[0][0] == "length"]
    tuning = iter(_tuning(of_markdown))
    for index, pool in enumerate(pools):
        title = f"{pool['role']}, the fullest rank" if len(pools) > 1 else "The fullest rank"
        assert tables[f"Terms: {title}"] == terms[index] == [_term(each) for each in pool["terms"]]
        rows = [_requests(each) for each in pool["capacity"]["concurrency"]]
        assert [row[:-1] for row in tables[f"Capacity: {title}"]] == rows
        assert [row[:-1] for row in capacities[index]] == rows
        curve = [_requests(each)[1:] for each in pool["curve"]]
        assert [row[:-1] for row in tables[f"The curve as a table: {title}"]] == [row[:5] for row in curve]
        rows = next(tuning)
        assert tables[f"What to change: {title}"] == rows
        place = "pools." + pool["role"] + "." if len(pools) > 1 else ""
        now = pool["capacity"]["concurrency"][0]["requests"]["value"]
        said = {setting: effect.partition(":")[0] for aim, setting, effect in rows if aim == "long context"}
        encoder = sum(pool["parameter_bytes_by_class"].get(each, 0) for each in ("vision", "projector"))
        held = [effect for aim, _, effect in rows if aim in {"text only", "pictures"}]
        assert all(_size(encoder) in each for each in held)
        assert {place + each["name"]: _choice(each, now) for each in pool["choices"]}.items() <= said.items()


def _term(term: dict[str, Any]) -> list[str]:
    origin = f"calibrated on {term['logs']} logs" if term["origin"] == "calibrated" else term["origin"]
    sizes = (term["bytes"], term["low_bytes"], term["high_bytes"])
    return [term["name"], *(f"{size / GIB:.2f}" for size in sizes), origin]


def _requests(each: dict[str, Any]) -> list[str]:
    counts = [f"{each['requests'][end]:,.1f}" for end in ("value", "low", "high")]
    return [each.get("name", ""), f"{each['tokens']:,}", *counts, _size(each["request_bytes"])]


def _size(size: float) -> str:
    unit, whole = next(
        (unit, 1024**power)
        for unit, power in (("TiB", 4), ("GiB", 3), ("MiB", 2), ("KiB", 1))
        if size >= 1024**power
    )
    return f"{size / whole:.2f} {unit}"


def _tuning(tables: list[list[list[str]]]) -> list[list[list[str]]]:
    found = [table[1:] for table in tables if table[0][:2] == ["for", "setting"]]
    return [[[aim, setting.strip("`"), effect] for aim, setting, effect in rows] for rows in found]


def _choice(each: dict[str, Any], now: float) -> str:
    held = f"{each['pool_tokens']['value']:,.0f} tokens in the pool"
    return f"{each['requests']['value']:,.1f} requests at once in place of {now:,.1f}, {held}"


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_number_of_start_and_restart_is_one_of_memory_json(path: Path) -> None:
    report = api.memory(path)
    text = text_of(shipped(path))
    allowed = {number for pool in report.pools for number in _numbers(pool, report)}
    table = re.findall(
        r"^\| (?:\w+: )?(?:reading the weights|around it|in all) \| (.*) \|$", text, re.MULTILINE
    )
    spare = re.findall(r"^- (?:A restart|One instance).*$", text, re.MULTILINE)
    assert table
    assert spare
    said = {number for line in (*table, *spare) for number in re.findall(r"\d[\d,.]*\d|\d", line)}
    assert said <= allowed | {"1"}


def _numbers(pool: api.PoolMemory, report: api.MemoryReport) -> set[str]:
    (found,) = [
        each for each in json.loads(memory_json(report.pools))["pools"] if each["role"] == pool.view.pool.role
    ]
    start, made = found["cold_start"], set[str]()
    times = [start["load_s"], start["node_bytes"] / 1e9]
    times += [
        each[end]
        for each in (start["around_s"], start["total_s"])
        if each
        for end in ("value", "low", "high")
    ]
    made |= {f"{each / 60:.1f}" for each in times if each} | {f"{each:.0f}" for each in times if each}
    made |= {f"{start['node_bytes'] / 1e12:.2f}", f"{start['node_bytes'] / 1e9:.0f}"}
    made |= {f"{start['gigabytes_per_s']:.1f}"} if start["gigabytes_per_s"] else set()
    for each in found["capacity"]["concurrency"]:
        made |= {f"{each['requests']['value']:,.1f}", f"{each['tokens']:,}"}
    workload = pool.view.pool.deployment.recipe.value.workload
    made |= {f"{workload.concurrency:,}"} if workload.concurrency else set()
    return made | {str(found["instances_through_restart"]), str(found["capacity"]["replicas"])}


def test_preflight_prints_what_the_runbook_expects(tmp_path: Path) -> None:
    host = host_of(
        "two-nodes", tmp_path,
        nvidia_smi=NVIDIA % 7, vllm=says("0.33.0"), ss=SS % "9", df=DF % (3000 * 2**20), du=DU % 0,
    )  # fmt: skip
    env = {"HEAD_ADDR": "10.0.0.1", "NODE_IFNAME": "lo", "HF_HOME": str(tmp_path)}
    for name in ("node-0", "node-1"):
        code, printed, _ = check(host, name, env=env)
        assert code == 0
        expected = expected_of(case_bundle("two-nodes"), f"$ ./preflight.sh {name}")
        assert_printed(expected, printed)


def expected_of(bundle: Bundle, first: str) -> list[str]:
    blocks = [
        text.splitlines() for language, text in markdown_blocks(text_of(bundle)) if language == "console"
    ]
    (found,) = [lines[1:] for lines in blocks if lines[0] == first]
    return found


def assert_printed(expected: list[str], printed: list[str]) -> None:
    """Compare lines; `...` stands for anything."""
    patterns = [".*".join(re.escape(part) for part in line.split("...")) for line in expected]
    assert len(patterns) == len(printed)
    assert [
        line for line, pattern in zip(printed, patterns, strict=True) if not re.fullmatch(pattern, line)
    ] == []


@pytest.mark.parametrize("case", ["one-node", "two-nodes"])
def test_the_checks_print_what_the_runbook_expects(case: str, tmp_path: Path) -> None:
    bundle, launch = case_bundle(case), case_launch(case)
    host = host_of(case, tmp_path)
    call = {"type": "function", "function": {"name": "get_weather", "arguments": "{}"}}

    def answer(_: int, asked: dict[str, Any]) -> tuple[int, object]:
        return 200, message(content="Hi", reasoning="So", tool_calls=[call] if "tools" in asked else [])

    outputs = [text.splitlines() for language, text in markdown_blocks(text_of(bundle)) if language == "text"]
    with serving(Server(models(launch.model_name), answer)) as server:
        ready = host.script("wait-ready.sh", server.url).stdout.splitlines()
        smoke = host.script("smoke.sh", server.url).stdout.splitlines()
    url = bare_text(endpoint(launch).url)
    assert_printed([line.replace(url, server.url) for line in outputs[0]], ready)
    assert_printed(outputs[1], smoke)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_python_client_sends_the_same_requests_as_the_scripts(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = endpoint(launch_of(path))
    said = SimpleNamespace(content="Hi", reasoning="Hm", tool_calls=None)
    assert sent_by(python_block(asked).text, said) == [dict(asked.client_chat)]
    assert sent_by(tool_block(asked).text, said) == [dict(asked.tool_chat)]


@pytest.mark.parametrize("case", ["one-node", "amd-node"])
def test_the_streaming_client_asks_the_same_and_prints_each_piece(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = endpoint(case_launch(case))
    pieces = (
        *([SimpleNamespace(reasoning="Hm. ", content=None)] if asked.reasoning else []),
        SimpleNamespace(content="Hel"),
        SimpleNamespace(content=None),
        SimpleNamespace(content="lo"),
    )
    chunks = [SimpleNamespace(choices=[SimpleNamespace(delta=delta)]) for delta in pieces]
    (sent,) = sent_by(stream_block(asked).text, None, [*chunks, SimpleNamespace(choices=[])])
    assert sent == {"stream": True, **asked.client_chat}
    assert capsys.readouterr().out == ("Hm. Hello" if asked.reasoning else "Hello")


def test_the_client_brings_the_result_of_a_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked = endpoint(case_launch("one-node"))
    call = SimpleNamespace(id="call_1", function=SimpleNamespace(name="get_weather", arguments="{}"))
    said = SimpleNamespace(content="Hi", tool_calls=[call])
    first, second = sent_by(tool_block(asked).text, said)
    assert first == dict(asked.tool_chat)
    result = {"role": "tool", "tool_call_id": "call_1", "content": "12 degrees, rain"}
    assert second == first | {"messages": [*first["messages"], said, result]}


def test_the_client_sends_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    asked = endpoint(launch_of(next(path for path in SHIPPED if path.stem == "kimi-k3-8xgb300")))
    (sent,) = sent_by(image_block(asked).text, SimpleNamespace(content="a cat"))
    (message,) = sent["messages"]
    kind, words = message["content"]
    assert kind == {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}
    assert words["type"] == "text"
    assert sent | {"messages": None} == dict(asked.client_chat) | {"messages": None}


@pytest.mark.parametrize(
    ("name", "setting", "expected"),
    [
        ("kimi-k3-8xgb300", (), True),
        ("kimi-k3-8xgb300", ("args={language-model-only: true}",), False),
        ("kimi-k3-8xgb300", ("args={limit-mm-per-prompt: {image: 0}}",), False),
        ("kimi-k3-8xgb300", ("args={limit-mm-per-prompt.image: 0}",), False),
        ("kimi-k3-8xgb300", ("args={limit-mm-per-prompt: {image: {count: 0}}}",), False),
        ("kimi-k3-8xgb300", ("args={limit-mm-per-prompt: {image: 2}}",), True),
        ("kimi-k3-pd-vllm", ("pools.prefill.args={language-model-only: true}",), False),
        ("kimi-k3-8xb300-dcp8-sglang", (), True),
        ("kimi-k3-8xb300-dcp8-sglang", ("args={language-model-only: true}",), False),
        ("kimi-k3-8xb300-dcp8-sglang", ("args={limit-mm-data-per-request: {image: 0}}",), False),
        ("qwen3.8-fp8-2x8-b300", (), False),
    ],
)
def test_a_picture_is_asked_about_where_it_is_served(
    name: str, setting: tuple[str, ...], expected: bool
) -> None:
    path = next(path for path in SHIPPED if path.stem == name)
    bundle = api.render(path, set=setting, force=True)
    assert ("image_url" in text_of(bundle)) == expected
    assert ("request with an image" in page_blocks(page_of(bundle))) == expected


@pytest.mark.parametrize(("name", "fields"), [("two-nodes", ("reasoning", "tool_calls")), ("amd-node", ())])
def test_thoughts_and_tools_are_shown_where_they_are_on(name: str, fields: tuple[str, ...]) -> None:
    python = "\n".join(text for kind, text in markdown_blocks(text_of(case_bundle(name))) if kind == "python")
    assert tuple(field for field in ("reasoning", "tool_calls") if field in python) == fields


def sent_by(program: str, said: object, chunks: list[Any] | None = None) -> list[dict[str, Any]]:
    """Run a client whose server always answers the same, at once or in chunks; give the requests."""
    sent: list[dict[str, Any]] = []

    def create(**request: Any) -> object:
        extra: dict[str, Any] = request.pop("extra_body", {})
        request["messages"] = list(request["messages"])
        sent.append(request | extra)
        return chunks or SimpleNamespace(choices=[SimpleNamespace(message=said)])

    chat = SimpleNamespace(completions=SimpleNamespace(create=create))
    package = ModuleType("openai")
    package.OpenAI = lambda **_: SimpleNamespace(chat=chat)  # type: ignore[attr-defined]
    before = sys.modules.get("openai")
    sys.modules["openai"] = package
    try:
        exec(program, {})  # noqa: S102 # what a reader of the page would run
    finally:
        del sys.modules["openai"]
        if before is not None:
            sys.modules["openai"] = before
    return sent


def test_what_a_published_drafting_would_bring_is_told() -> None:
    path = next(path for path in SHIPPED if path.stem == "qwen3.8-fp8-2x8-b300")
    bare = api.render(path, set=["speculative="], force=True)
    ((aim, setting, effect), *_), *_ = _tuning(markdown_tables(text_of(bare)))
    assert aim == "latency"
    drafting = json.loads(setting.partition(": ")[2])
    assert setting.startswith("speculative: ")
    assert effect.startswith(f"a step yields up to {drafting['tokens'] + 1} tokens; ")
    before, after = re.findall(r"(\d+) to ([\d,]+) tokens/s", effect)[0]
    assert float(after.replace(",", "")) > float(before)
    (drafted,) = _tuning(markdown_tables(text_of(shipped(path))))
    assert [row[1] for row in drafted if row[1].startswith("speculative")] == ["speculative.tokens"]


TEXT = st.text(st.characters(codec="utf-8"), max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
@settings(max_examples=50, deadline=None)
def test_python_literals_are_the_json_values(value: Any) -> None:
    assert ast.literal_eval(python_literal(value)) == value


@pytest.mark.parametrize("case", CASES)
def test_a_page_is_whole_and_stands_alone(case: str) -> None:
    page = page_of(case_bundle(case))
    ids = [each.attributes["id"] for each in page.everything if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    for each in page.everything:
        if each.attributes.get("rel") == "noreferrer":
            # A link that somebody follows loads nothing by itself.
            assert each.tag == "a"
            assert each.attributes["href"] == each.text
            assert each.text.startswith("https://huggingface.co/")
            continue
        for name in ("aria-labelledby", "aria-controls", "aria-describedby"):
            assert set(each.attributes.get(name, "").split()) <= set(ids)
        for name in ("href", "src", "action", "data", "srcset"):
            assert each.attributes.get(name, "#") in {"data:,", *(f"#{each}" for each in ids), "#"}
    assert [each.tag for each in page.everything if each.tag in {"iframe", "img", "object"}] == []
    assert not re.search(
        r"url\(|@import|fetch\(|XMLHttpRequest|https?://(?!\S*:8)", page.all("style")[0].text
    )
    levels = [int(each.tag[1]) for each in page.everything if re.fullmatch(r"h[1-6]", each.tag)]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))


HOSTILE = "</title></style></script><script>alert(1)</script><img src=x onerror=alert(1)> & \"'`|"


def test_text_of_a_recipe_stays_text_in_the_page() -> None:
    recipe = {
        "launchplan": 1,
        "name": "hostile",
        "summary": HOSTILE,
        "model": "nobody/knows",
        "engine": {"name": "vllm", "version": "0.33.0"},
        "hardware": {"gpu": "h200"},
        "serve": {"served_model_name": HOSTILE},
        "args": {"chat-template": HOSTILE, "x": "\r\n\ttab\x7f"},
        "env": {"X": HOSTILE},
        "evidence": {"status": "derived", "source": HOSTILE, "figures": {HOSTILE: HOSTILE}},
    }
    launch = make_launch(recipe)
    bundle = render_bundle(launch, (), (), None)
    page = page_of(bundle)
    assert [len(page.all(tag)) for tag in ("script", "style", "img", "title")][:3] == [1, 1, 0]
    assert page_blocks(page)["command of node-0"] == as_shown(launch, launch.processes[0])
    assert page.all("dd")[2].text == HOSTILE


def test_the_page_of_64_gpus_is_small() -> None:
    bundle = api.render(WIDE, force=True)
    assert len(bundle.files["runbook.html"]) < 500_000
    (drawing,) = [
        each for each in page_of(bundle).all("svg") if each.attributes["aria-labelledby"].startswith("map")
    ]
    ranks = [each for each in drawing.all("text") if each.attributes.get("class") == "rank"]
    assert [each.text for each in ranks] == [str(index) for index in range(64)]


def test_a_deployment_that_nobody_knows_has_a_runbook_all_the_same() -> None:
    recipe = {
        "launchplan": 1,
        "name": "unknown",
        "model": "nobody/knows",
        "engine": {"name": "vllm", "version": "0.11.2"},
        "hardware": {"gpu": "abacus", "gpus_per_node": 4, "nodes": 2},
        "parallel": {"tp": 8},
    }
    text = text_of(api.render(recipe, force=True))
    assert "The memory of serve is not known: the catalog lacks its model, its GPU" in text
    assert "The names were looked up in vllm 0.33.0; vllm 0.11.2 may call some of them otherwise." in text
    assert "skip  number of GPUs: no check for this kind, 4 needed" in text


def test_sglang_has_no_metrics_without_their_flag() -> None:
    path = next(path for path in SHIPPED if path.stem == "kimi-k3-16xh200-sglang")
    assert "This launch has none: set `args: {enable-metrics: true}`" in text_of(shipped(path))
    told = api.render(path, set=["args.enable-metrics=true"])
    assert "This launch has none" not in text_of(told)


def test_a_cluster_file_tells_how_long_a_start_takes() -> None:
    path = next(path for path in SHIPPED if path.stem == "qwen3.8-fp8-2x8-b300")
    cluster = {"launchplan": 1, "name": "site", "nodes": 2, "storage": {"read_gigabytes_per_s": 5}}
    text = text_of(api.render(path, cluster=cluster))
    assert "| reading the weights | 8.3 min: 2.50 TB a node at 5.0 GB/s (the cluster file) |" in text
    assert "- A restart takes as long as a start, serving nothing: 10.0 min (8.9 min to 12.8 min)" in text


def test_findings_have_their_reasons_in_the_page() -> None:
    page = page_of(case_bundle("two-nodes"))
    (found,) = [each for each in page.all("ul") if each.attributes.get("class") == "findings"]
    said = [" ".join(each.text.split()) for each in found.all("li")]
    assert said == [
        "warning PAR107 8 of 16 GPUs | idle (hardware.nodes); fix: use nodes: 1 Why GPUs that no rank uses <cost> money.",
        "info OPS102 nothing shows that this was run",
    ]


def test_every_rule_says_why() -> None:
    assert [rule.code for rule in RULES if not rule.why] == []
