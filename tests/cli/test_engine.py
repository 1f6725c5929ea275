"""`launchplan engine`, asked of stand-ins for engines, and plans made with what it wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from launchplan.catalog.engines import EngineFacts, Flag, Variable
from launchplan.catalog.load import read_fact

from .conftest import Runner

VLLM = {
    "vllm/__init__.py": '__version__ = "0.34.0rc1+gabc"\nprint("noise on standard output")\n',
    "vllm/utils/__init__.py": "",
    "vllm/utils/argparse_utils.py": "from argparse import ArgumentParser as FlexibleArgumentParser\n",
    "vllm/entrypoints/__init__.py": "",
    "vllm/entrypoints/launchers/__init__.py": "",
    "vllm/entrypoints/launchers/cli_args.py": """
import argparse, enum, json


class Color(enum.Enum):
    RED = "red"


def human(text):
    return -1 if text == "auto" else int(text[:-1]) * 1000 if text.endswith("k") else int(text)


def maybe_int(text):
    return None if text == "None" else int(text)


def folded(text):
    return text.lower().replace("-", "_")


def maybe_json(text):
    return json.loads(text) if text.startswith("{") else text


def make_arg_parser(parser):
    add = parser.add_argument
    add("model_tag", nargs="?", type=str)
    add("-tp", "--tensor-parallel-size", type=int, default=1, help="how many")
    add("--max-model-len", type=human)
    add("--seed", type=maybe_int, default=0)
    add("--moe-backend", type=folded, choices=["auto", "deep_gemm"], default="auto")
    add("--overrides", type=maybe_json, default={})
    add("--config-json", type=json.loads)
    add("--color", type=str, default=Color.RED)
    add("--ratio", type=float, default=0.5)
    add("--parser", type=str, metavar="{one,two} or a name of a plugin")
    add("--old", type=str, help="[DEPRECATED] use --config-json")
    add("--any", type=bool)
    add("--files", nargs="*", action="append")
    add("--eager", action=argparse.BooleanOptionalAction, default=False)
    add("--url", nargs=1, metavar=("URL",), action="append")
    add("--secret", default=argparse.SUPPRESS)
    return parser
""",
    "vllm/envs.py": """
import os
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    VLLM_PORT: int | None = None
    VLLM_MODE: Literal["a", "b"] = "a"
    VLLM_BUFFER: str = "BUFFER"
    VLLM_BROKEN: int = 1

environment_variables = {
    "VLLM_PORT": lambda: int(os.environ["VLLM_PORT"]) if "VLLM_PORT" in os.environ else None,
    "VLLM_MODE": lambda: os.getenv("VLLM_MODE", "a"),
    "VLLM_BUFFER": lambda: os.getenv("VLLM_BUFFER", "BUFFER_0123456789abcdef0123"),
    "VLLM_BROKEN": lambda: 1 / 0,
    "VLLM_CACHE": lambda: os.path.expanduser("~/.cache/vllm"),
}
""",
}
FLAGS = (
    Flag(names=("--help", "-h"), dest="help", kind="switch", action="help"),
    Flag(dest="model_tag", kind="optional-value", type="str"),
    Flag(names=("--tensor-parallel-size", "-tp"), dest="tensor_parallel_size", type="int", default=1),
    Flag(names=("--max-model-len",), dest="max_model_len", type="human-int-or-auto"),
    Flag(names=("--seed",), dest="seed", type="int", nullable=True, default=0),
    Flag(
        names=("--moe-backend",),
        dest="moe_backend",
        type="folded-str",
        choices=("auto", "deep_gemm"),
        default="auto",
    ),
    Flag(names=("--overrides",), dest="overrides", type="json-or-str", default={}),
    Flag(names=("--config-json",), dest="config_json", type="json"),
    Flag(names=("--color",), dest="color", type="str", default="red"),
    Flag(names=("--ratio",), dest="ratio", type="float", default=0.5),
    Flag(names=("--parser",), dest="parser", type="str", value_names=("one", "two")),
    Flag(names=("--old",), dest="old", type="str", deprecated=True, replaced_by="--config-json"),
    Flag(names=("--any",), dest="any", type="opaque"),
    Flag(names=("--files",), dest="files", kind="list", action="append", type="str", may_be_empty=True),
    Flag(names=("--eager", "--no-eager"), dest="eager", kind="switch", default=False),
    Flag(names=("--url",), dest="url", action="append", type="str"),
    Flag(names=("--secret",), dest="secret", type="str"),
)
VARIABLES = (
    Variable(name="VLLM_PORT", type="int"),
    Variable(name="VLLM_MODE", type="str", choices=("a", "b"), default="a"),
    Variable(name="VLLM_BUFFER", type="str"),
    Variable(name="VLLM_BROKEN", type="int"),
    Variable(name="VLLM_CACHE", type="str", default="~/.cache/vllm"),
)
SGLANG = {
    "sglang/__init__.py": '__version__ = "0.5.99"\n',
    "sglang/srt/__init__.py": "",
    "sglang/srt/server_args.py": """
class ServerArgs:
    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--tp-size", "--tp", type=int, default=1)
""",
    "sglang/srt/environ.py": """
class EnvInt:
    def __init__(self, default):
        self.default = default

    def __set_name__(self, owner, name):
        self.name = name


class Envs:
    SGLANG_PORT = EnvInt(None)
    SGLANG_STEPS = EnvInt(3)


envs = Envs()
""",
    "sglang/srt/network.py": """
import os

HOST = os.getenv("SGLANG_HOST_IP", "") or os.environ.get(
    "HOST_IP", ""
)
STEPS = os.environ["SGLANG_STEPS"] if "SGLANG_STEPS" in os.environ else None
os.environ["SGLANG_RUN_ID"] = "written, not read"
""",
    "sglang/test/helper.py": 'import os\nos.getenv("SGLANG_TEST_MODEL")\n',
}


@pytest.fixture
def site(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder whose packages the recorded Python finds; one variable is set that the engine reads."""
    folder = files / "site"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setenv("VLLM_PORT", "8123")
    return folder


def install(site: Path, package: dict[str, str]) -> None:
    for name, text in package.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")


def test_record_reads_flags_and_variables(launchplan: Runner, site: Path) -> None:
    install(site, VLLM)
    ran = launchplan("engine", "record")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "vllm-0.34.0rc1.yaml written: 17 flags, 5 variables\n"
    facts = read_fact(EngineFacts, Path("vllm-0.34.0rc1.yaml"))
    assert (facts.engine, facts.version) == ("vllm", "0.34.0rc1")
    assert facts.flags == FLAGS
    assert facts.variables == VARIABLES


def test_record_takes_sglang_where_there_is_no_vllm(launchplan: Runner, site: Path) -> None:
    install(site, SGLANG)
    ran = launchplan("engine", "record", "-o", "-")
    assert (ran.code, ran.err) == (0, "")
    facts = EngineFacts.model_validate(yaml.safe_load(ran.out), strict=False)
    assert (facts.engine, facts.version) == ("sglang", "0.5.99")
    assert facts.flags[1] == Flag(names=("--tp-size", "--tp"), dest="tp_size", type="int", default=1)
    assert facts.variables[1:] == (
        Variable(name="SGLANG_STEPS", type="int", default=3),
        Variable(name="SGLANG_HOST_IP"),
    )


def test_record_keeps_a_file_that_is_there(launchplan: Runner, site: Path) -> None:
    install(site, SGLANG)
    Path("mine.yaml").write_text("mine", encoding="utf-8")
    ran = launchplan("engine", "record", "-o", "mine.yaml")
    assert (ran.code, ran.err) == (2, "error: mine.yaml exists; --force overwrites it\n")
    assert Path("mine.yaml").read_text(encoding="utf-8") == "mine"


def test_record_says_why_there_is_no_engine(launchplan: Runner, site: Path) -> None:
    ran = launchplan("engine", "record", "--engine", "vllm")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith(
        "has no vllm whose parser could be built: ModuleNotFoundError: No module named 'vllm';"
        " name its Python with --python\n"
    )
    ran = launchplan("engine", "record", "--python", "no-such-python")
    assert (ran.code, ran.err) == (2, "error: cannot run no-such-python: no such file or directory\n")


RECIPE = """\
launchplan: 1
name: nightly
model: meta-llama/Llama-3.1-8B
engine: {name: vllm, version: "0.33.0"}
hardware: {gpu: h200, nodes: 1, gpus_per_node: 8}
parallel: {tp: 8}
args: {color: red}
"""


def flag_findings(out: str) -> list[str]:
    """Give the messages about unknown flags in a report."""
    lines = (line.partition(" error ENG101 flag-known: ")[2] for line in out.splitlines())
    return [line for line in lines if line]


def test_a_recorded_file_stands_for_the_catalog(launchplan: Runner, site: Path) -> None:
    install(site, VLLM)
    launchplan("engine", "record", "-o", "facts.yaml")
    Path("nightly.yaml").write_text(RECIPE, encoding="utf-8")
    without = launchplan("check", "nightly.yaml")
    assert (without.code, flag_findings(without.out)) == (1, ["vllm 0.33.0 has no flag --color"])
    plan = launchplan("check", "nightly.yaml", "--engine-facts", "facts.yaml", "--set", "args.colour=red")
    assert plan.code == 1
    assert flag_findings(plan.out) == ["vllm 0.34.0rc1 has no flag --colour"]
    shown = launchplan("show", "nightly.yaml", "--engine-facts", "facts.yaml")
    assert "--color red" in shown.out
    again = launchplan("check", "nightly.yaml")
    assert again.out == without.out


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("nightly.yaml", "error: fact file nightly.yaml: source: Field required\n"),
        ("missing.yaml", "error: cannot read fact file missing.yaml: no such file or directory\n"),
        (".", "error: cannot read fact file .: is a directory\n"),
    ],
)
def test_a_file_that_holds_no_facts(launchplan: Runner, file: str, message: str) -> None:
    Path("nightly.yaml").write_text(RECIPE, encoding="utf-8")
    ran = launchplan("check", "nightly.yaml", "--engine-facts", file)
    assert (ran.code, ran.out, ran.err) == (2, "", message)


def test_facts_of_another_engine(launchplan: Runner, site: Path) -> None:
    install(site, SGLANG)
    launchplan("engine", "record", "-o", "facts.yaml")
    Path("nightly.yaml").write_text(RECIPE, encoding="utf-8")
    ran = launchplan("check", "nightly.yaml", "--engine-facts", "facts.yaml")
    assert ran.code == 2
    assert "the engine facts given are sglang 0.5.99's, and this is for vllm" in ran.out + ran.err


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_spans_are_up_to_date(launchplan: Runner, engine: str) -> None:
    assert launchplan("engine", "spans", engine, "--check").code == 0
    assert launchplan("engine", "spans", engine).out.startswith("# Computed by")
