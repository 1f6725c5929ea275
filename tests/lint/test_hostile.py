"""Files that nobody should write: an answer with a place, never a traceback, and soon."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from launchplan import api
from launchplan.lint import Site, applied, edits_of, lint_text

FILES = sorted(path for path in Path(__file__).with_name("files").glob("*/*") if path.suffix != ".txt")
SIGNS = "'\"\\$`{}()[]<>|&;#\n\t\r :-=,*&!%@\ufeff\ue000é"
STRANGE = {
    "doubled.sh": "A=x\n" + 'A="$A$A"\n' * 40 + "vllm serve $A\n",
    "braces.sh": "vllm serve m " + "{a,b}" * 40,
    "open.sh": "vllm serve m " + '"$(' * 5000,
    "words.sh": "vllm serve m \\\n" * 5000,
    "functions.sh": "f() {\n" * 5000 + "vllm serve m\n",
    "quotes.md": "```sh\nvllm serve m\n```\n" + "> " * 20_000 + "\n" + "- " * 20_000 + "\n",
    "aliases.yaml": "a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\nargs: [*c,*c,*c,*c,*c]\n",
    "itself.yaml": "a: &a {b: *a, args: [vllm, serve, m]}\n",
    "merge.yaml": "a: &a {<<: *a, args: [vllm, serve, m]}\n",
}
UNREADABLE = {
    "deep.yaml": ("args: " + "[" * 5000, None),
    "tab.yaml": ("kind: Pod\nspec:\n\targs: []\n", 3),
    "null.sh": ("vllm serve m\n\0", 2),
    "control.yaml": ("kind: Pod\nargs: [vllm, serve, \x07]\n", 2),
    "long.sh": ("vllm serve m\n" + "x" * 10_000_000, None),
    "quote.sh": ("\nvllm serve 'm\n", 2),
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_files_are_read(name: str) -> None:
    linted = lint_text(STRANGE[name], name, Site(memory=False))
    assert all(finding.location is not None for finding in linted.findings)


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_files_say_where(name: str) -> None:
    text, line = UNREADABLE[name]
    linted = lint_text(text, name, Site(memory=False))
    assert not linted.readable
    places = [finding.location for finding in linted.findings if finding.location is not None]
    assert [place.file for place in places] == [name] * len(linted.findings)
    assert line is None or line in {place.line for place in places}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_damaged_files_are_read(path: Path) -> None:
    source = random.Random(path.name)  # noqa: S311 # damage, no secret
    for _ in range(3):
        text = path.read_text(encoding="utf-8")
        for _ in range(4):
            place = source.randrange(len(text) + 1)
            text = text[:place] + source.choice(SIGNS) + text[place + source.randrange(12) :]
        linted = lint_text(text, path.name, Site(memory=False))
        applied(text, edits_of(linted))
        assert all(finding.location is not None for finding in linted.findings)


NUMBERS = {"superscript": "²", "long": "9" * 400, "longer than Python reads": "9" * 5000}
NUMBERED = {
    "job.sbatch": "#!/bin/bash\n#SBATCH --nodes={n}\n#SBATCH --gres=gpu:h100:{n}\nvllm serve Qwen/Qwen3-8B\n",
    "run.sh": "docker run --gpus {n} --shm-size {n}g vllm/vllm-openai:v0.33.0 --model m -tp {n}\n",
    "env.sh": "VLLM_PORT={n} CUDA_VISIBLE_DEVICES=0,{n} vllm serve Qwen/Qwen3-8B --port {n}\n",
    "tag.sh": "docker run vllm/vllm-openai:v0.{n}.1 --model Qwen/Qwen3-8B\n",
    "pod.yaml": "kind: Pod\nspec:\n  containers:\n  - args: [vllm, serve, m]\n"
    "    resources: {{limits: {{nvidia.com/gpu: {n}}}}}\n",
    "compose.yaml": "services:\n  a:\n    command: vllm serve m\n    deploy: {{resources: {{reservations:"
    " {{devices: [{{driver: nvidia, count: {n}, capabilities: [gpu]}}]}}}}}}\n",
}
FLAGS = (
    "vllm serve Qwen/Qwen3-8B --kv-cache-memory-bytes",
    "vllm serve Qwen/Qwen3-8B --max-cudagraph-capture-size",
    "vllm serve Qwen/Qwen3-8B --data-parallel-rpc-port",
    "sglang serve --model-path Qwen/Qwen3-8B --tp",
    "sglang serve --model-path Qwen/Qwen3-8B --chunked-prefill-size",
)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", NUMBERED)
def test_numbers_that_are_none_are_read(name: str, number: str) -> None:
    linted = lint_text(NUMBERED[name].format(n=NUMBERS[number]), name, Site(memory=False))
    assert len(linted.judged) == 1


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("command", FLAGS)
def test_no_flag_takes_such_a_number(command: str, number: str) -> None:
    report = api.lint(f"{command} {NUMBERS[number]}", gpu="h100", gpus_per_node=8)
    assert [finding.code for finding in report.findings if finding.code == "ENG103"]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("version", ["{n}", "0.{n}", "0.5.9.post{n}", "0.5.9rc{n}"])
@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_no_version_has_such_a_number(engine: str, version: str, number: str) -> None:
    command = "vllm serve m" if engine == "vllm" else "sglang serve --model-path m"
    asked = version.format(n=NUMBERS[number])
    assert api.lint(command, version=asked, gpu="h100", gpus_per_node=1).ok


def test_a_whole_file_is_a_text() -> None:
    script = "#!/bin/bash\nvllm serve Qwen/Qwen3-32B \\\n  --tensor-parallel-size 12\n"
    (finding,) = api.lint(script, version="0.33.0", file="serve.sh").findings
    assert (finding.code, str(finding.location)) == ("PAR101", "serve.sh:3:3")
    manifest = '{"kind": "Pod", "spec": {"containers": [{"args": ["vllm", "serve", "m", "--foo"]}]}}'
    (finding,) = api.lint(manifest, version="0.33.0").findings
    column = manifest.index('"--foo"') + 1
    assert (finding.code, str(finding.location)) == ("ENG101", f"<command>:1:{column}")


def test_words_of_one_command_need_no_shell() -> None:
    assert api.lint(["vllm", "serve", "m", "--hf-overrides", '{"a": 1}'], version="0.33.0").ok
    report = api.lint(["vllm", "serve", "m", "--host 0.0.0.0"], version="0.33.0")
    assert [finding.code for finding in report.findings] == ["CMD102"]


def test_without_a_server_there_is_nothing_to_lint() -> None:
    (finding,) = api.lint("echo vllm serve").findings
    assert finding.code == "REC001"
