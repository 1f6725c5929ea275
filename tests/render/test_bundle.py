"""Targets, manifest, a user's own templates, and what the runbook says of findings."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest

from launchplan import __version__
from launchplan.engines import build_launch
from launchplan.errors import TemplateError, UnknownTargetError
from launchplan.finding import Finding, Severity
from launchplan.layout import place
from launchplan.recipe import load_recipe
from launchplan.render import TARGETS, render_bundle
from launchplan.render import bundle as bundle_module
from launchplan.render.manifest import manifest
from launchplan.render.target import File, Target
from launchplan.resolve import resolve
from launchplan.resources import templates_dir
from tests.render.kit import CASES, HERE, case_bundle, case_launch, make_launch


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("case", CASES)
def test_manifest_lists_every_other_file(case: str) -> None:
    bundle = case_bundle(case)
    recorded = json.loads(bundle.files["manifest.json"])
    assert recorded["files"] == {
        path: {"mode": "0755" if path in bundle.executable else "0644", "sha256": digest(content)}
        for path, content in bundle.files.items()
        if path != "manifest.json"
    }


def test_manifest_says_what_it_was_made_from() -> None:
    recorded = json.loads(case_bundle("two-nodes-on-site").files["manifest.json"])
    del recorded["files"]
    recipes = HERE / "recipes"
    assert recorded == {
        "cluster": {
            "name": "site-a",
            "sha256": digest((recipes / "two-nodes-on-site.cluster.yaml").read_bytes()),
        },
        "engine": {"facts": "0.33.0", "name": "vllm", "version": "0.33.0"},
        "format": 1,
        "launchplan": __version__,
        "recipe": {
            "name": "two-nodes-on-site",
            "sha256": digest((recipes / "two-nodes-on-site.yaml").read_bytes()),
        },
        "set": [],
        "targets": list(TARGETS),
    }


def test_manifest_of_data_and_of_settings() -> None:
    data = {
        "name": "d",
        "launchplan": 1,
        "model": "é/x",
        "engine": {"name": "vllm"},
        "hardware": {"gpu": "h200"},
    }
    launch = make_launch(data)
    canonical = '{"engine":{"name":"vllm"},"hardware":{"gpu":"h200"},"launchplan":1,"model":"é/x","name":"d"}'
    recorded = json.loads(manifest(launch, (), ()).content)
    assert (recorded["recipe"], recorded["cluster"]) == (
        {"name": "d", "sha256": digest(canonical.encode())},
        None,
    )

    layout = place(resolve(load_recipe(HERE / "recipes" / "two-nodes.yaml", ["serve.port=9", "name=other"])))
    assert layout is not None
    changed = json.loads(manifest(build_launch(layout), (), ()).content)
    text = (HERE / "recipes" / "two-nodes.yaml").read_bytes()
    assert changed["set"] == ["serve.port=9", "name=other"]
    assert changed["recipe"] == {"name": "other", "sha256": digest(text)}


def test_no_file_holds_a_path_of_this_machine() -> None:
    for case in CASES:
        for path, content in case_bundle(case).files.items():
            assert str(HERE).encode() not in content, (case, path)


def test_all_means_every_target_once() -> None:
    launch = case_launch("two-nodes")
    whole = render_bundle(launch, (), ("all", "shell", "all"), None)
    assert whole == render_bundle(launch, (), tuple(TARGETS), None)
    assert json.loads(whole.files["manifest.json"])["targets"] == list(TARGETS)


def test_no_target_gives_a_manifest_alone() -> None:
    assert list(render_bundle(case_launch("two-nodes"), (), (), None).files) == ["manifest.json"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("shel", "unknown target 'shel'; did you mean shell?"),
        ("x", "unknown target 'x'; there are shell, all"),
    ],
)
def test_unknown_target(name: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle_module, "TARGETS", {"shell": TARGETS["shell"]})
    with pytest.raises(UnknownTargetError) as caught:
        render_bundle(case_launch("two-nodes"), (), ("shell", name), None)
    assert str(caught.value) == message


def test_a_target_is_one_line_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    note = Target("note", "a note", lambda launch, *_: (File("note/n.txt", launch.model_name.encode()),))
    monkeypatch.setattr(bundle_module, "TARGETS", {**TARGETS, "note": note})
    bundle = render_bundle(case_launch("one-node"), (), ("note",), None)
    assert list(bundle.files) == ["manifest.json", "note/n.txt"]
    assert bundle.executable == frozenset()
    twin = Target("twin", "the same note", note.files)
    monkeypatch.setattr(bundle_module, "TARGETS", {"note": note, "twin": twin})
    with pytest.raises(ValueError, match=r"^two targets make note/n\.txt$"):
        render_bundle(case_launch("one-node"), (), ("all",), None)


def test_a_target_brings_what_its_files_use() -> None:
    launch = case_launch("two-nodes")
    shell, slurm = (render_bundle(launch, (), (name,), None) for name in ("shell", "slurm"))
    assert set(slurm.files) - set(shell.files) == {"slurm/launch.sbatch"}
    assert json.loads(slurm.files["manifest.json"])["targets"] == ["shell", "slurm"]


def test_own_templates_replace_the_shipped_ones(tmp_path: Path) -> None:
    (tmp_path / "shell").mkdir()
    (tmp_path / "shell" / "process.sh.j2").write_text(
        "{%# ours #%}\n#!/bin/sh\nexec {{ script.command | words }} ${#x}\n"
    )
    bundle = render_bundle(case_launch("one-node"), (), ("shell",), str(tmp_path))
    shipped = case_bundle("one-node")
    assert bundle.files["node-0.sh"] == b"#!/bin/sh\nexec vllm serve acme/dense-8b ${#x}\n"
    assert bundle.files["smoke.sh"] == shipped.files["smoke.sh"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ script.name }}", "a template prints 'node-0' without one of the filters sh, "),
        ("{{ 1 + 1 }}", "a template prints 2 without one of the filters sh, "),
        ("a\n{% if %}", "/shell/process.sh.j2:2: Expected an expression, got 'end of statement block'"),
        (
            "{{ script.nme | sh }}",
            "/shell/process.sh.j2:1: 'launchplan.render.shell.scripts.Script object' has no",
        ),
        ("a\n\n{{ nothing | md }}", "/shell/process.sh.j2:3: 'nothing' is undefined"),
        ("{{ script.name | upper }}", "/shell/process.sh.j2:1: No filter named 'upper'."),
        ("{{ script | sh }}", "/shell/process.sh.j2:1: 'Script' object is not iterable"),
        (
            "{{ script.title | name }}",
            "a template prints 'node 0 of 1; serves the API on port 8123' where a plain name",
        ),
        (
            "{{ script.name | fence }}",
            "/shell/process.sh.j2:1: can't multiply sequence by non-int of type",
        ),
        ("\n{{ script.title | name }}", "/shell/process.sh.j2:2: a template prints 'node 0 of 1; serves"),
        ("{% include 'gone.j2' %}", "there is no template gone.j2; "),
        ("a\n{% include 'gone.j2' %}", "/shell/process.sh.j2:2 includes it"),
    ],
)
def test_own_templates_that_cannot_be_used(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "shell").mkdir()
    (tmp_path / "shell" / "process.sh.j2").write_text(text)
    with pytest.raises(TemplateError, match=re.escape(message)):
        render_bundle(case_launch("one-node"), (), ("shell",), str(tmp_path))


def test_no_folder_of_templates(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=f"^no folder of templates: {tmp_path}/none$"):
        render_bundle(case_launch("one-node"), (), ("shell",), f"{tmp_path}/none")


def test_shipped_templates_can_be_copied_and_used(tmp_path: Path) -> None:
    shutil.copytree(templates_dir(), tmp_path / "mine")
    own = render_bundle(case_launch("two-nodes"), (), ("shell",), str(tmp_path / "mine"))
    assert own == render_bundle(case_launch("two-nodes"), (), ("shell",), None)


def test_findings_stand_in_the_runbook() -> None:
    findings = (
        Finding(
            "ENG101",
            "unknown-flag",
            Severity.ERROR,
            "no flag <x>\n# not a heading",
            ("args", "x"),
            fix="use `y|z`",
        ),
        Finding("OPS102", "no-evidence", Severity.INFO, "one ` tick"),
    )
    runbook = render_bundle(case_launch("two-nodes"), findings, ("shell",), None).files["RUNBOOK.md"].decode()
    _, _, rest = runbook.partition("## What launchplan says of this plan\n\n")
    assert rest.partition("\n\n")[0].splitlines() == [
        r"- error ENG101: no flag \<x\> # not a heading (args.x); fix: use `y\|z`",
        r"- info OPS102: one \` tick",
    ]
    quiet = render_bundle(case_launch("two-nodes"), (), ("shell",), None).files["RUNBOOK.md"]
    assert b"What launchplan says" not in quiet
