"""Whatever text a recipe holds arrives byte for byte: in arguments, in the environment, in requests."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from launchplan.engines import Launch, Site, Value
from launchplan.errors import UnprintableError
from launchplan.render import Bundle, render_bundle
from launchplan.render.quoting import Missing, shell_word
from tests.render.kit import Host, fill, make_launch
from tests.render.test_scripts import commands

TROUBLE = [
    "'",
    '"',
    "$",
    "`",
    "\\",
    "\n",
    "\r",
    "!",
    "```",
    "${HOME}",
    "$(id)",
    "#",
    "\x01",
    "\x7f",
    "\u2019",
    "-",
    "  ",
]
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20) | st.lists(
    st.sampled_from(TROUBLE), max_size=8
).map("".join)
SCRIPTS = (
    *("node-0.sh", "preflight.sh", "wait-ready.sh", "smoke.sh", "bench.sh"),
    *("env/common.env", "env/node-0.env"),
)
CURL = 'print(\'{"content": "x", "completion_tokens": 1}\\n200\')'


def recipe(arguments: list[str], variables: list[str], model: str, summary: str) -> dict[str, object]:
    return {
        "launchplan": 1,
        "name": "any-text",
        "summary": summary or "-",
        "model": "nobody/knows",
        "engine": {"name": "vllm", "version": "0.33.0"},
        "hardware": {"gpu": "h200"},
        "serve": {"served_model_name": model or "-", "features": ["tools"]},
        "args": {f"x-{index}": value for index, value in enumerate(arguments)},
        "env": {f"X_{index}": value for index, value in enumerate(variables)},
    }


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TEXT, min_size=20, max_size=40), st.lists(TEXT, max_size=20), TEXT, TEXT)
@example(TROUBLE, TROUBLE, "".join(TROUBLE), "".join(TROUBLE))
def test_any_text_arrives(arguments: list[str], variables: list[str], model: str, summary: str) -> None:
    launch = make_launch(recipe(arguments, variables, model, summary))
    bundle = render_bundle(launch, (), ("shell",), None)
    with TemporaryDirectory() as folder:
        host = Host(Path(folder))
        host.put(bundle)
        host.record("vllm")
        host.record("curl", then=CURL)
        arrives(host, launch, bundle)


def arrives(host: Host, launch: Launch, bundle: Bundle) -> None:
    (process,) = launch.processes
    argv = [fill(word, {}) for word in process.argv]
    for locale in ({}, {"LC_ALL": "C.UTF-8"}):
        run = host.script("node-0.sh", env=locale)
        assert (run.code, run.stderr, run.argv) == (0, "", argv)
        assert run.env == {each.name: fill(each.value, {}) for each in launch.env} | locale
    ((_, block),) = commands(bundle.files["RUNBOOK.md"].decode())
    assert host.run("/bin/bash", "-c", block).argv == argv
    ready = host.script("wait-ready.sh")
    assert (ready.code, ready.stderr) == (0, "")
    assert json.loads(ready.argv[ready.argv.index("--data-raw") + 1])["model"] == launch.model_name


def test_shellcheck_finds_nothing_in_any_text(tmp_path: Path) -> None:
    pieces = [
        *TROUBLE,
        "a,b",
        "a=b",
        "[0]=x",
        "{a,b}",
        "~",
        "*",
        "\\\n",
        "# shellcheck disable=all",
        "it's",
        "\\'",
        "",
    ]
    values = [*pieces, *(first + second for first in pieces for second in pieces)]
    host = Host(tmp_path)
    host.put(
        render_bundle(make_launch(recipe(values, values, "\\'$x`\u2019", "\n\\'$x")), (), ("shell",), None)
    )
    command = [str(Path(sys.executable).with_name("shellcheck")), *SCRIPTS]
    found = subprocess.run(command, cwd=host.bundle, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "")


SITED = st.lists(TEXT | st.just(Site("PLACE", "where it is, such as 'here'")), min_size=1, max_size=5).map(
    tuple
)


@settings(max_examples=20, deadline=None)
@given(st.lists(SITED, min_size=10, max_size=30), TEXT.filter(bool))
def test_site_values_stand_inside_any_text(values: list[Value], place: str) -> None:
    ways: tuple[Missing, ...] = ("checked", "fail", "empty", "local")
    words = " ".join(shell_word(value, missing) for value in values for missing in ways)
    with TemporaryDirectory() as folder:
        host = Host(Path(folder))
        host.record("vllm")
        run = host.run("/bin/bash", "-uc", f"exec vllm {words}", env={"PLACE": place})
        expected = [fill(value, {"PLACE": place}) for value in values for _ in ways]
        assert (run.code, run.stderr, run.argv) == (0, "", ["vllm", *expected])


@pytest.mark.parametrize(
    ("missing", "code", "out", "error"),
    [
        ("fail", 127, "", "/bin/bash: line 1: PLACE: where it is\n"),
        ("checked", 127, "", "/bin/bash: line 1: PLACE: unbound variable\n"),
        ("empty", 0, "a  b\n", ""),
        ("local", 0, "a 127.0.0.1 b\n", ""),
    ],
)
def test_a_site_value_that_is_not_set(
    missing: Missing, code: int, out: str, error: str, tmp_path: Path
) -> None:
    value: Value = ("a ", Site("PLACE", "where it is"), " b")
    run = Host(tmp_path).run("/bin/bash", "-uc", f"echo {shell_word(value, missing)}")
    assert (run.code, run.stdout, run.stderr) == (code, out, error)


@pytest.mark.parametrize(
    ("arguments", "env", "message"),
    [
        ({"seed": "a\0b"}, {}, "'a\\x00b' holds a NUL character, which no command line can hold"),
        ({}, {"A": "\0"}, "'\\x00' holds a NUL character, which no command line can hold"),
        ({}, {"UID": "0"}, "bash keeps the variable UID for itself; a script cannot hand it on"),
        ({}, {"args": "0"}, "the scripts use the variable args themselves; call it otherwise"),
    ],
)
def test_what_no_script_can_hand_on(arguments: dict[str, str], env: dict[str, str], message: str) -> None:
    launch = make_launch(recipe([], [], "m", "s") | {"args": arguments, "env": env})
    with pytest.raises(UnprintableError, match=f"^{re.escape(message)}$"):
        render_bundle(launch, (), ("shell",), None)


def test_half_a_character_is_refused() -> None:
    message = r"^'\\ud800' holds half of a character \(a lone surrogate\)$"
    with pytest.raises(UnprintableError, match=message):
        shell_word("\ud800")
