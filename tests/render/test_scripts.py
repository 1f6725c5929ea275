"""The scripts are clean, and hand each process exactly the command and environment of the launch."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from launchplan.engines import Launch, Process
from launchplan.render.ray import words_before
from tests.render.kit import CASES, Host, case_bundle, case_launch, fill, site_of

PROGRAMS = ("vllm", "sglang", "vllm-router", "python3", "mkdir")


def of_engine(host: Host) -> None:
    """Put recorders in place of engines and routers, and a `mkdir` that makes nothing."""
    host.record(*(name for name in (*PROGRAMS, "ray") if name != "mkdir"))
    host.program("mkdir", f'#!/bin/bash\nprintf "%s\\n" "$@" >>"{host.root}/made"\n')


def expected_env(process: Process, launch: Launch, site: dict[str, str]) -> dict[str, str]:
    return {each.name: fill(each.value, site) for each in (*launch.env, *process.env)} | site


@pytest.mark.parametrize("case", CASES)
def test_shellcheck_and_bash_find_nothing(case: str, tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.put(case_bundle(case))
    scripts = sorted(str(path) for path in host.bundle.rglob("*.sh"))
    scripts += [str(path) for path in host.bundle.rglob("*.sbatch")]
    shellcheck = Path(sys.executable).with_name("shellcheck")
    sourced = sorted(str(path) for path in host.bundle.glob("env/*.env"))
    found = subprocess.run([shellcheck, *scripts, *sourced], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "")
    for script in (*scripts, *sourced):
        assert subprocess.run(["bash", "-n", script], capture_output=True, check=True).stderr == b""


@pytest.mark.parametrize("case", CASES)
def test_each_process_gets_its_argv_and_environment(case: str, tmp_path: Path) -> None:
    host, launch = Host(tmp_path), case_launch(case)
    host.put(case_bundle(case))
    of_engine(host)
    site = site_of(launch)
    for process in launch.processes:
        if process.ray:
            host.record("bash")  # which runs what waits for Ray
        run = host.run("/bin/bash", str(host.bundle / f"{process.name}.sh"), "--more", "a b", env=site)
        assert (run.code, run.stderr) == (0, "")
        before = ["bash", str(host.bundle / "with-ray.sh")] if process.ray else []
        words = (*(words_before(process.ray) if process.ray else ()), *process.argv)
        assert run.argv == [*before, *(fill(word, site) for word in words), "--more", "a b"]
        (host.programs / "bash").unlink(missing_ok=True)
        assert run.env == expected_env(process, launch, site)


@pytest.mark.parametrize("case", CASES)
def test_runbook_has_the_same_commands(case: str, tmp_path: Path) -> None:
    host, launch = Host(tmp_path), case_launch(case)
    of_engine(host)
    site = site_of(launch)
    blocks = dict(commands(case_bundle(case).files["RUNBOOK.md"].decode()))
    assert list(blocks) == [process.name for process in launch.processes]
    for process in launch.processes:
        run = host.run("/bin/bash", "-c", blocks[process.name], env=site)
        runs = [process.ray.argv, process.argv] if process.ray else [process.argv]
        assert (run.code, run.stderr) == (0, "")
        assert run.argvs == [[fill(word, site) for word in words] for words in runs]


def commands(runbook: str) -> Iterator[tuple[str, str]]:
    _, _, full = runbook.partition("## The commands in full\n")
    for name, _, block in re.findall(
        r"^### (\S+)\n\n(`{3,})bash\n(.*?)\n\2$", full, re.MULTILINE | re.DOTALL
    ):
        yield name, block


@pytest.mark.parametrize("case", CASES)
def test_a_script_names_what_the_site_did_not_say(case: str, tmp_path: Path) -> None:
    host, launch = Host(tmp_path), case_launch(case)
    host.put(case_bundle(case))
    of_engine(host)
    for process in launch.processes:
        text = (host.bundle / f"{process.name}.sh").read_text()
        site = site_of(launch)
        for variable, hint in re.findall(r'^: "\$\{(\w+):\?(.*)\}"$', text, re.MULTILINE):
            run = host.script(
                f"{process.name}.sh", env={name: site[name] for name in site if name != variable}
            )
            assert (run.code, run.records) == (1, ())
            assert run.stderr.endswith(f" {variable}: {hint}\n")


def test_caches_are_made_where_the_site_says(tmp_path: Path) -> None:
    host, launch = Host(tmp_path), case_launch("two-nodes")
    host.put(case_bundle("two-nodes"))
    host.record("vllm")
    cache = tmp_path / "a disk"
    host.script("node-1.sh", env=site_of(launch) | {"LOCAL_CACHE": str(cache)})
    assert sorted(path.name for path in cache.iterdir()) == ["flashinfer", "triton", "vllm"]


def test_caches_have_a_local_default(tmp_path: Path) -> None:
    host, launch = Host(tmp_path), case_launch("two-nodes")
    host.put(case_bundle("two-nodes"))
    of_engine(host)
    site = {name: value for name, value in site_of(launch).items() if name != "LOCAL_CACHE"}
    text = (host.bundle / "node-0.sh").read_text()
    home = tmp_path / "launchplan-0"
    default = "/tmp/launchplan-$UID"  # noqa: S108 # replaced, so that the test leaves nothing there
    (host.bundle / "node-0.sh").write_text(text.replace(default, str(home)))
    refused = host.script("node-0.sh", env=site)
    assert (refused.code, refused.stderr) == (1, f"{home} belongs to somebody else; export LOCAL_CACHE\n")
    home.mkdir()
    run = host.script("node-0.sh", env=site)
    assert run.code == 0
    assert run.env["TRITON_CACHE_DIR"] == f"{home}/triton"
    assert f"LOCAL_CACHE={default}\n" in text


def test_scripts_run_from_anywhere_and_through_a_link(tmp_path: Path) -> None:
    host, launch = Host(tmp_path), case_launch("two-nodes")
    host.put(case_bundle("two-nodes"))
    of_engine(host)
    (tmp_path / "bin").mkdir()
    link = tmp_path / "bin" / "serve"
    link.symlink_to(host.bundle / "node-0.sh")
    direct = host.script("node-0.sh", env=site_of(launch), cwd=Path("/"))
    linked = host.run("serve", env=site_of(launch), path=f"{host.programs}:{link.parent}:/usr/bin:/bin")
    assert direct.code == linked.code == 0
    assert (direct.argv, direct.env) == (linked.argv, linked.env)


def test_bench_runs_the_workload(tmp_path: Path) -> None:
    runs = {}
    for case in ("one-node", "data-parallel", "sglang-two-nodes"):
        host = Host(tmp_path / case)
        host.put(case_bundle(case))
        of_engine(host)
        runs[case] = (
            host.script("bench.sh").argv,
            host.script("bench.sh", "http://a:1/", "--seed", "7").argv,
        )
        shutil.rmtree(host.bundle)
    sizes = [
        "--random-input-len",
        "1024",
        "--random-output-len",
        "256",
        "--num-prompts",
        "32",
        "--max-concurrency",
        "8",
    ]
    drawn = ["--backend", "openai", "--endpoint", "/v1/completions", "--dataset-name", "random"]
    own = [
        "--random-input-len",
        "2000",
        "--random-output-len",
        "300",
        "--num-prompts",
        "64",
        "--max-concurrency",
        "16",
    ]
    dense = [
        *("--model", "acme/dense-8b", "--served-model-name", 'acme\'s "dense" model: $8b'),
        *(*drawn, *own),
    ]
    experts = [
        *("--model", "acme/experts-235b", "--served-model-name", "acme/experts-235b", "--trust-remote-code"),
        *(*drawn, *sizes),
    ]
    ids = ["--backend", "sglang-oai", "--dataset-name", "random-ids", "--random-range-ratio", "1.0", *sizes]
    tokens = ["--model", "acme/experts-235b", "--tokenizer", "acme/experts-235b", *ids]
    bench = ["vllm", "bench", "serve", "--base-url"]
    module = ["python3", "-m", "sglang.bench_serving", "--base-url"]
    assert runs == {
        "one-node": (
            [*bench, "http://127.0.0.1:8123", *dense],
            [*bench, "http://a:1", *dense, "--seed", "7"],
        ),
        "data-parallel": (
            [*bench, "http://127.0.0.1:8000", *experts],
            [*bench, "http://a:1", *experts, "--seed", "7"],
        ),
        "sglang-two-nodes": (
            [*module, "http://127.0.0.1:30000", *tokens],
            [*module, "http://a:1", *tokens, "--seed", "7"],
        ),
    }
