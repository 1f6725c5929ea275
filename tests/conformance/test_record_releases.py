"""The recorder of what releases list: lists of names in sources, runs of releases, and the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from packaging.version import Version

from launchplan.catalog.releases import ReleaseNames, Releases
from tests.conformance.record.constants import Constants
from tests.conformance.record.names import READERS
from tests.conformance.record.releases import allowed, runs, text, without_gaps
from tests.conformance.record.stages import stageless

SOURCE = """
CHOICES = ["one", *MORE, None]
MORE: list[str] = sorted({"two"}) + list(Parser.Table.keys())
Kind = Literal["auto", "fp8"]
KINDS = list(get_args(Kind))

class Parser:
    Table = {"three": 3}

def _parsers():
    if later:
        return ["never"]
    return list(CHOICES)

def add(parser):
    parser.add_argument("--first", choices=["auto"] + _parsers())
    parser.add_argument("--second", "-s", type=str, choices=[name for name in KINDS])

class Args:
    third_flag: A[str, Arg(help="", choices=KINDS)] = "auto"

@Manager.register_module("by_name")
class One: ...

@Manager.register_module(["several", "names"])
class Two: ...

Manager.register_lazy_module(name=name, path=path)
Manager.register_lazy_module(name="lazy", path=path)
Other.register_module("another")
"""


def test_names_are_read_as_python_makes_them() -> None:
    known = Constants([SOURCE])
    assert known.named("CHOICES") == ["one", "two", "three"]
    assert known.named("KINDS") == ["auto", "fp8"]
    first, third = known.choices("--first"), known.choices("--third-flag")
    assert first is not None
    assert third is not None
    assert known.names(first) == ["auto", "one", "two", "three"]
    assert known.names(third) == ["auto", "fp8"]
    assert known.choices("--fourth") is None
    assert [*known.registered("Manager")] == ["by_name", "several", "names", "lazy"]


def test_what_cannot_be_read_is_no_empty_list() -> None:
    known = Constants([SOURCE])
    second = known.choices("--second")
    assert second is not None
    with pytest.raises(ValueError, match="no list of names"):
        known.names(second)


def names(**held: str) -> dict[Version, frozenset[str]]:
    return {Version(release[1:].replace("_", ".")): frozenset(each.split()) for release, each in held.items()}


def test_names_stand_at_the_runs_that_have_them() -> None:
    found = names(v0_9="old gap", v0_9_post1="old", v0_10="gap new", v0_11="gap new")
    assert runs(found) == {"0.9..0.9": ["gap"], "0.9..0.9.post1": ["old"], "0.10..": ["gap", "new"]}


def test_a_list_begins_once() -> None:
    assert [*without_gaps("x", names(v1_0="", v1_1="a"))] == [Version("1.1")]
    with pytest.raises(ValueError, match=r"x has no names in 1\.2"):
        without_gaps("x", names(v1_1="a", v1_2="", v1_3="a"))


@pytest.mark.parametrize(
    ("asks", "newest"),
    [
        ("transformers", "5.1.0"),
        ("transformers>=4.56,<5", "4.57.1"),
        ("transformers!=5.1.0", "5.0.0"),
        ("transformers==4.57.0; extra == 'all'", "4.57.0"),  # withdrawn since
        ("transformers==5.0.0rc0", "5.0.0rc0"),
        ("torch", "5.1.0"),
    ],
)
def test_which_transformers_a_release_allows(tmp_path: Path, asks: str, newest: str) -> None:
    folder = tmp_path / "engine-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        f"Name: engine\nRequires-Dist: {asks}\nRequires-Dist: numpy\n", encoding="utf-8"
    )
    library = [Version(each) for each in ("4.56.0", "4.57.1", "5.0.0", "5.1.0")]
    assert allowed(tmp_path, library) == {newest}


def test_the_file_says_what_was_read() -> None:
    found = names(v0_9="", v0_10="a b", v0_10_post1="b", v0_11="b c")
    written = text("vllm", sorted(found), {"classes": ("somewhere", found)})
    data = yaml.safe_load(written)
    facts = Releases.model_validate_json(json.dumps(data))
    read = ReleaseNames(facts.releases, facts.lists[0])
    assert {Version(each): read.at(each) or frozenset() for each in facts.releases} == found


SOURCES = {
    "vllm/model_executor/models/registry.py": (
        '_TEXT_MODELS = {"AForCausalLM": ("a", "A"), **_MORE}\n_OOT_SUPPORTED_MODELS = {"BForCausalLM": "b"}\n'
    ),
    "vllm/model_executor/models/a.py": "class A(nn.Module): ...\n",
    "vllm/tool_parsers/__init__.py": '_TOOL_PARSERS_TO_REGISTER = {"hermes": ("a", "b")}\n',
    "vllm/reasoning/one.py": '@ReasoningParserManager.register_module("r1")\nclass A: ...\n',
    "vllm/model_executor/layers/quantization/__init__.py": 'QUANTIZATION_METHODS = {"awq": A}\n',
    "vllm/config/cache.py": 'CacheDType = Literal["auto", "fp8"]\n',
}


def test_each_list_of_vllm_is_read_where_it_stands(tmp_path: Path) -> None:
    for name, source in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source, encoding="utf-8")
    assert {of: {*read(tmp_path)} for of, (_, read) in READERS["vllm"].items()} == {
        "classes": {"AForCausalLM"},
        "classes without stages": {"AForCausalLM"},
        "--tool-call-parser": {"hermes"},
        "--reasoning-parser": {"r1"},
        "--quantization": {"awq"},
        "--kv-cache-dtype": {"auto", "fp8"},
    }


def test_each_list_of_sglang_is_read_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "sglang/srt/models").mkdir(parents=True)
    (tmp_path / "sglang/srt/models/a.py").write_text("EntryClass = [A, B]\n", encoding="utf-8")
    flags = [of for of in READERS["sglang"] if of != "classes"]
    lines = (f"parser.add_argument({flag!r}, choices=[{flag[2:]!r}])" for flag in flags)
    (tmp_path / "sglang/srt/server_args.py").write_text("\n".join(lines), encoding="utf-8")
    found = {of: {*read(tmp_path)} for of, (_, read) in READERS["sglang"].items()}
    assert found == {"classes": {"A", "B"}} | {flag: {flag[2:]} for flag in flags}


STAGES = {
    "registry": """
_TEXT_MODELS = {
    "Staged": ("one", "Staged"), "Inherits": ("two", "Inherits"), "Made": ("two", "Made"),
    "Marked": ("one", "Marked"), "Refuses": ("two", "Refuses"), "Plain": ("one", "Plain"),
    "Vendors": ("pack", "Vendor"), "Gone": ("nowhere", "Gone"), "Unmarked": ("one", "Unmarked"),
}
""",
    "interfaces": """
class SupportsPP(Protocol):
    supports_pp = True
    def forward(self, *, intermediate_tensors): ...
""",
    "one": """
from .interfaces import SupportsPP
class Staged(nn.Module, SupportsPP):
    def forward(self, input_ids, intermediate_tensors=None): ...
class Plain(nn.Module):
    def forward(self, input_ids, intermediate_tensors=None): ...
class Marked(nn.Module):
    supports_pp: ClassVar[Literal[True]] = True
    def forward(self, *args, **kwargs): ...
class Unmarked(Staged):
    supports_pp = False
    def forward(self, input_ids): ...
""",
    "two": """
from vllm.model_executor.models.one import Staged as Base
class Inherits(Base[int]): ...
Made = as_embedding(Base)
class Refuses(Base):
    def forward(self, input_ids): ...
""",
    "pack/__init__": """
if current_platform.is_rocm():
    from .amd import Vendor
else:
    from .nvidia import Vendor
""",
    "pack/amd": "class Vendor(nn.Module): ...",
    "pack/nvidia": "from ..one import Staged as Vendor",
}


def test_classes_run_over_stages_as_vllm_tells_them(tmp_path: Path) -> None:
    for name, source in STAGES.items():
        path = tmp_path / f"vllm/model_executor/models/{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    assert {*stageless(tmp_path, ())} == {"Refuses", "Plain", "Unmarked"}


def test_the_first_releases_listed_the_classes_with_stages(tmp_path: Path) -> None:
    (tmp_path / "vllm").mkdir()
    (tmp_path / "vllm/config.py").write_text('_PP_SUPPORTED_MODELS = ["A"]\n', encoding="utf-8")
    assert [*stageless(tmp_path, ["B", "A", "C"])] == ["B", "C"]
