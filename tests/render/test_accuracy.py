"""The accuracy test asks what a client asks, no more at once than the plan serves, and fits its window."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from launchplan import api
from launchplan.engines import Launch
from launchplan.engines.commands import bare_text
from launchplan.render.runbook.accuracy import _argument, accuracy_test
from launchplan.render.shell.endpoint import Endpoint, endpoint
from launchplan.resources import recipes_dir

SHIPPED = sorted(recipes_dir().rglob("*.yaml"))
OTHERS = sorted((Path(__file__).parent / "runbooks").glob("*.yaml"))
PROMPT_TOKENS = 1200
"""Five solved examples of GSM8K and a question, with room."""


def words(command: str, folder: Path) -> list[str]:
    """Let bash read a command; the program is one that writes its arguments down."""
    program = folder / command.split(maxsplit=1)[0]
    program.write_text('#!/bin/bash\nprintf "%s\\0" "$@" >"$ARGUMENTS"\n', encoding="utf-8")
    program.chmod(0o755)
    written = folder / "arguments"
    env = {"PATH": f"{folder}:/usr/bin:/bin", "ARGUMENTS": str(written), "CA_CERT": "/etc/ca.pem"}
    subprocess.run(["bash", "-eu", "-c", command], check=True, env=env)
    return written.read_text(encoding="utf-8").split("\0")[:-1]


def values(arguments: list[str]) -> dict[str, str]:
    """Pair flags with the word behind them, if that is no flag."""
    following = [*arguments[1:], "--"]
    pairs = zip(arguments, following, strict=True)
    return {flag: "" if value.startswith("--") else value for flag, value in pairs if flag.startswith("--")}


def launch_of(path: Path) -> Launch:
    plan = api.check(path).plan
    assert plan is not None
    assert plan.launch is not None
    return plan.launch


def said(path: Path, folder: Path) -> tuple[Launch, Endpoint, dict[str, str]]:
    launch = launch_of(path)
    asked = endpoint(launch)
    (test,) = accuracy_test(launch, asked, api.memory(path).pools)
    return launch, asked, values(words(test.block.text, folder))


def address(value: Any) -> str:
    """Give a URL where no site has said its address."""
    return bare_text(tuple(part if isinstance(part, str) else "127.0.0.1" for part in value))


@pytest.mark.parametrize("path", [*SHIPPED, *OTHERS], ids=lambda path: path.stem)
def test_it_asks_as_a_client_asks(path: Path, tmp_path: Path) -> None:
    launch, asked, flags = said(path, tmp_path)
    own = {"model", "messages", "max_tokens"}
    advised = {name: value for name, value in asked.client_chat.items() if name not in own}
    if launch.layout.resolved.deployment.engine == "vllm":
        assert flags["--model"] == "local-chat-completions"
        assert (flags["--tasks"], flags["--num_fewshot"], flags["--apply_chat_template"]) == (
            "gsm8k",
            "5",
            "",
        )
        given = dict(part.split("=", 1) for part in flags["--model_args"].split(","))
        expected = {
            "model": _argument(asked.model),
            "base_url": address(asked.client_url),
            "max_retries": "3",
            "timeout": "3600",
        } | ({"ca_cert_path": "/etc/ca.pem"} if asked.encrypted else {})
        assert given | {"num_concurrent": ""} == expected | {"num_concurrent": ""}
        generation = json.loads(flags["--gen_kwargs"])
        # A stop word of lm_eval's own would end thoughts that have it in them.
        assert generation.pop("until") == []
        assert generation.pop("max_gen_toks") > 0
        assert generation == advised
        return
    named = {"temperature": "--temperature", "top_p": "--top-p", "reasoning_effort": "--reasoning-effort"}
    expected = {flag: str(advised[name]) for name, flag in named.items() if name in advised}
    expected |= {"--base-url": f"{address(asked.url)}/v1", "--model": asked.model}
    assert flags | {"--num-threads": "", "--max-tokens": ""} == expected | {
        "--num-threads": "",
        "--max-tokens": "",
    }


@pytest.mark.parametrize("path", [*SHIPPED, *OTHERS], ids=lambda path: path.stem)
def test_it_stays_within_the_plan(path: Path, tmp_path: Path) -> None:
    launch, _, flags = said(path, tmp_path)
    given = dict(part.split("=", 1) for part in flags.get("--model_args", "").split(",") if part)
    at_once = int(given.get("num_concurrent") or flags["--num-threads"])
    generation = json.loads(flags.get("--gen_kwargs", "{}"))
    tokens = int(generation.get("max_gen_toks") or flags["--max-tokens"])
    wanted = launch.layout.resolved.deployment.recipe.value.workload.concurrency
    assert wanted is None or at_once <= wanted
    for pool in api.memory(path).pools:
        most = pool.memory.capacity.max_running
        assert most is None or at_once <= most * pool.memory.capacity.replicas
        assert tokens + PROMPT_TOKENS <= pool.inputs.lengths.max_model_len


def test_nothing_is_asked_that_http_does_not_reach(tmp_path: Path) -> None:
    recipe = next(path for path in OTHERS if path.stem.startswith("qwen3.5"))
    text = api.render(recipe, set=("args={uds: /run/vllm.sock}",), force=True).files["RUNBOOK.md"].decode()
    assert "lm_eval" not in text
    assert "lm_eval" in api.render(recipe).files["RUNBOOK.md"].decode()


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("openai/gpt-oss-120b", "openai/gpt-oss-120b"),
        ("kimi-k3", "kimi-k3"),
        ("7", "'7'"),
        ("1e5", "'1e5'"),
        ("true", "'true'"),
        ("None", "'None'"),
        ("nan", "'nan'"),
        ("0x1f", "'0x1f'"),
        ("a,b", "'a,b'"),
        ("it's", '"it\'s"'),
    ],
)
def test_a_name_stays_text_for_lm_eval(name: str, word: str) -> None:
    """lm_eval/_cli/utils.py (0.4.13) splits at commas outside of quotes, and reads numbers and truth values."""
    assert _argument(name) == word
