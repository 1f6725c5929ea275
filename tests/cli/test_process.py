"""The program as a process: imports, pipes, signals, terminals, bugs."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from launchplan import __version__

Runner = Callable[..., Any]
PROGRAM = (sys.executable, "-m", "launchplan")
DEADLINE_S = 60
SLOW_MODULES = ("pydantic", "jinja2", "yaml", "jsonschema")


def _environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "LAUNCHPLAN_DEBUG"}}
    return kept | more


@pytest.mark.parametrize(
    "arguments", [["--help"], ["check", "--help"], ["render", "-h"], ["new", "-h"], ["--version"]]
)
def test_help_loads_nothing_slow(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom launchplan.cli import main\n"
        f"try:\n    main({arguments!r})\n"
        f"finally:\n    print([name for name in {SLOW_MODULES!r} if name in sys.modules], file=sys.stderr)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "[]\n")
    assert run.stdout


def test_version() -> None:
    run = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True, check=True)
    assert run.stdout == f"launchplan {__version__}\n"


def test_reader_that_goes_away_is_no_complaint(files: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run(
        [*PROGRAM, "list", "gpus"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (run.returncode, run.stderr) == (141, "")


def test_a_pipe_is_as_good_as_a_file(files: Path) -> None:
    change = "s#./config.json#Qwen/Qwen3-32B#; s/tp: 8/tp: 6/"
    script = f'"{sys.executable}" -m launchplan check <(sed "{change}" fine.yaml)'
    run = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=False, timeout=DEADLINE_S
    )
    assert (run.returncode, run.stderr) == (1, "")
    place, line, marks = run.stdout.splitlines()[:3]
    assert re.match(r"/dev/fd/\d+:7:16: error PAR101 ", place)
    assert (line, marks) == ("    parallel: {tp: 6}", "                   ^")


def test_full_disk_behind_a_redirection(files: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [*PROGRAM, "list", "gpus"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    told = "error: cannot write to standard output: no space left on device\n"
    assert (run.returncode, run.stderr) == (2, told)


@pytest.mark.parametrize(
    ("number", "code", "told"), [(signal.SIGINT, 130, "interrupted\n"), (signal.SIGTERM, 143, "")]
)
def test_signals_end_it_quietly(files: Path, number: signal.Signals, code: int, told: str) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*PROGRAM, "check", "-"], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as process:
        _until_reading(process.pid)
        process.send_signal(number)
        out, err = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, out, err.strip("\n")) == (code, "", told.strip("\n"))


def _until_reading(pid: int) -> None:
    """Wait until a process sleeps in a read of its standard input."""
    deadline = time.monotonic() + DEADLINE_S
    where = Path(f"/proc/{pid}/wchan")
    while time.monotonic() < deadline:
        if "pipe" in where.read_text(encoding="ascii"):
            return
        time.sleep(0.05)
    pytest.fail("it never came to read its input")


def test_what_an_encoding_lacks_is_escaped(files: Path) -> None:
    (files / "wide.yaml").write_text("launchplan: 1\nname: 模型\n", encoding="utf-8")
    run = subprocess.run(
        [*PROGRAM, "check", "wide.yaml"],
        capture_output=True,
        check=False,
        env=_environment(PYTHONIOENCODING="ascii", PYTHONUTF8="0"),
    )
    assert run.returncode == 2
    assert b"\\u6a21\\u578b" in run.stdout
    assert run.stderr == b""


def _on_terminal(
    arguments: list[str],
    answers: tuple[tuple[str, str], ...] = (),
    environment: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """Run the program on a terminal; type each answer when its question stands there."""
    ours, theirs = pty.openpty()
    settings = _environment(**(environment or {}))
    command = [*PROGRAM, *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=settings) as process:
        os.close(theirs)
        seen = _converse(ours, list(answers))
        os.close(ours)
        code = process.wait(DEADLINE_S)
    return code, seen.replace("\r\n", "\n")


def _converse(terminal: int, answers: list[tuple[str, str]]) -> str:
    seen = ""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            seen += os.read(terminal, 65536).decode()
        except OSError:  # how a terminal says that its process is gone
            break
        if answers and seen.rstrip().endswith(answers[0][0]):
            os.write(terminal, answers.pop(0)[1].encode() + b"\n")
    return seen


def test_colour_on_a_terminal_only_and_not_against_the_users_will(files: Path) -> None:
    code, seen = _on_terminal(["check", "tp12.yaml"], environment={"TERM": "xterm", "NO_COLOR": ""})
    assert code == 1
    assert "\x1b[1;31merror\x1b[0m \x1b[1mPAR101\x1b[0m tp-splits-heads" in seen
    for unwanted in ({"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb", "NO_COLOR": ""}):
        code, plain = _on_terminal(["check", "tp12.yaml"], environment=unwanted)
        assert (code, plain) == (1, re.sub(r"\x1b\[[0-9;]*m", "", seen))


def test_new_asks_on_a_terminal(files: Path) -> None:
    answers = (
        ("Model:", ""),
        ("Model:", "no such model"),
        ("Model:", "config.json"),
        ("GPU:", ""),
        ("GPU:", "h1000"),
        ("GPU:", "h100"),
        ("Nodes [1]:", "2"),
        ("GPUs per node [8]:", ""),
        ("not known):", "infiniban"),
        ("not known):", "infiniband"),
        ("[vllm]:", "sglang"),
    )
    code, seen = _on_terminal(["new", "--name", "asked"], answers)
    assert code == 0, seen
    assert "'h1000' is not in the catalog; did you mean h100" in seen
    assert "name a model of `launchplan list models`, a hub id, or the path of a config.json" in seen
    assert "name a GPU of `launchplan list gpus`" in seen
    assert "'infiniban' is not in the catalog; did you mean ib?" in seen
    assert seen.endswith("asked.yaml\nnext: launchplan check asked.yaml\n")
    recipe = (files / "asked.yaml").read_text(encoding="utf-8").splitlines()
    assert [line for line in recipe if line.startswith(("model", "engine", "hardware", "parallel"))] == [
        "model: ./config.json",
        'engine: {name: sglang, version: "0.5.23"}',
        "hardware: {gpu: h100, nodes: 2, gpus_per_node: 8, fabric: infiniband}",
        "parallel: {tp: 8, pp: 2}",
    ]


def test_new_names_the_schema_that_there_is(files: Path, launchplan: Runner) -> None:
    wanted = ("new", "--model", "config.json", "--gpu", "h100", "-o")
    (files / "docs" / "schema").mkdir(parents=True)
    (files / "recipes" / "lab").mkdir(parents=True)

    def first_line(name: str) -> str:
        ran = launchplan(*wanted, name)
        assert ran.code == 0, ran.err
        return (files / name).read_text(encoding="utf-8").partition("\n")[0]

    assert first_line("a.yaml").startswith("# For completion in editors: ")
    (files / "docs" / "schema" / "recipe.schema.json").touch()
    server = "# yaml-language-server: $schema="
    assert first_line("recipes/lab/b.yaml") == f"{server}../../docs/schema/recipe.schema.json"
    (files / "recipes" / "lab" / "recipe.schema.json").touch()
    assert first_line("recipes/lab/c.yaml") == f"{server}recipe.schema.json"


@pytest.mark.parametrize(
    "interrupt",
    [
        "raise KeyboardInterrupt",
        "exec('raise KeyboardInterrupt')",
        "weakref.finalize(Interrupts(), signal.raise_signal, signal.SIGINT)",
    ],
)
def test_an_interrupted_import_is_no_complaint(interrupt: str) -> None:
    code = (
        "import signal, sys, weakref\n"
        "from launchplan import cli\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'launchplan.cli.check':\n"
        f"            {interrupt}\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        "cli.main(['check'])\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "interrupted\n")


def test_new_is_given_up_with_control_d(files: Path) -> None:
    code, seen = _on_terminal(["new"], (("Model:", "\x04"),))
    assert code == 130
    assert "Traceback" not in seen


@pytest.mark.parametrize("debug", ["", "1"])
def test_a_bug_is_said_to_be_one(debug: str, launchplan: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object, **_keywords: object) -> None:
        raise KeyError("two\nlines")

    monkeypatch.setattr("launchplan.api.check", broken)
    monkeypatch.setenv("LAUNCHPLAN_DEBUG", debug)
    ran = launchplan("check", "fine.yaml")
    assert (ran.code, ran.out) == (3, "")
    *traceback, last = ran.err.splitlines()
    assert last == (
        "internal error: KeyError: 'two\\nlines'; please report it with the command and its input"
        " (LAUNCHPLAN_DEBUG=1 prints a traceback)"
    )
    assert bool(traceback) == bool(debug)


def test_an_unreadable_file_is_no_bug(launchplan: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object, **_keywords: object) -> None:
        raise PermissionError(13, "Permission denied", "/etc/shadow")

    monkeypatch.setattr("launchplan.api.check", broken)
    ran = launchplan("check", "fine.yaml")
    assert (ran.code, ran.out, ran.err) == (2, "", "error: permission denied: /etc/shadow\n")
