"""Every file of every shipped recipe's bundle, read by lint: no error, and the commands are those of the plan."""

from __future__ import annotations

from functools import cache
from itertools import zip_longest

import pytest

from launchplan.engines import Launch, Process, Value
from launchplan.finding import Severity
from launchplan.lint import LintedFile, Site, lint_text
from launchplan.lint.found import Launch as Found
from launchplan.lint.shell import UNKNOWN_SIGN
from launchplan.render import TARGETS
from tests.recipes.bundles import SHIPPED, shipped_bundle, shipped_launch

SUFFIXES = (".sh", ".md", ".html", ".yaml", ".service", ".sbatch")


@cache
def linted(recipe: str) -> dict[str, LintedFile]:
    files = shipped_bundle(recipe, "all").files
    return {
        path: lint_text(content.decode(), path, Site())
        for path, content in files.items()
        if path.endswith(SUFFIXES)
    }


@pytest.mark.parametrize("recipe", SHIPPED)
def test_lint_finds_no_error_in_any_file(recipe: str) -> None:
    found = linted(recipe)
    assert all(each.readable for each in found.values())
    errors = [
        f"{finding.location}: {finding.code} {finding.message}"
        for each in found.values()
        for finding in each.findings
        if finding.severity is Severity.ERROR
    ]
    assert errors == []


@pytest.mark.parametrize("recipe", SHIPPED)
def test_commands_in_the_files_are_those_of_the_plan(recipe: str) -> None:
    launch, found = shipped_launch(recipe), linted(recipe)
    engines = [process for process in launch.processes if process.role != "router"]
    assert any("/" in path for path in found)
    for path, each in found.items():
        judged = [judged.launch for judged in each.judged]
        wanted = _processes(path, engines)
        if wanted is None:  # manifests write the hosts of an instance as one: each of theirs is one of ours
            assert judged
            assert all(any(_is(one, process) for process in engines) for one in judged), path
        else:
            assert len(judged) == len(wanted), path
            assert all(_is(one, process) for one, process in zip(judged, wanted, strict=True)), path


def test_every_target_is_read() -> None:
    targets = {
        path.partition("/")[0] for recipe in SHIPPED for path, each in linted(recipe).items() if each.judged
    }
    assert {"docker", "compose", "kubernetes", "systemd", "RUNBOOK.md", "runbook.html"} <= targets
    assert set(TARGETS) == {"shell", "docker", "compose", "kubernetes", "slurm", "systemd", "runbook"}


def _processes(path: str, engines: list[Process]) -> list[Process] | None:
    """Name the processes whose commands a file holds, in order; None for manifests that hold patterns."""
    if path in {"RUNBOOK.md", "runbook.html"}:
        return engines
    folder, _, name = path.rpartition("/")
    if folder == "kubernetes":
        return None if name in {"serve.yaml", "prefill.yaml", "decode.yaml"} else []
    stem = folder.removeprefix("compose/") if folder.startswith("compose/") else name.rpartition(".")[0]
    return [process for process in engines if stem == process.name or stem.endswith(f"-{process.name}")]


def _is(found: Found, process: Process) -> bool:
    """Compare word by word; what only the site knows, or Kubernetes fills in, is any word."""
    words = [token.text for token in found.arguments if token.unknown != ("$@",)]
    if found.around.container is not None and found.around.container.kind == "kubernetes":
        words = words[:-2] if words[-2:-1] == ["--host"] else words  # a Service reaches no loopback
    expected = [_word(value) for value in process.argv[2:]]
    return all(
        one is not None and other is not None and (one == other or _is_open(one) or _is_open(other))
        for one, other in zip_longest(words, expected)
    )


def _word(value: Value) -> str:
    return "".join(part if isinstance(part, str) else UNKNOWN_SIGN for part in value)


def _is_open(word: str) -> bool:
    return UNKNOWN_SIGN in word or "$(" in word


def test_a_word_more_or_less_is_another_command() -> None:
    launch: Launch = shipped_launch(SHIPPED[0])
    (first, *_) = linted(SHIPPED[0])["node-0.sh"].judged
    assert _is(first.launch, launch.processes[0])
    assert not _is(first.launch, launch.processes[1])
