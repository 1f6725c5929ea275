"""The words that a container is asked with, run against servers that answer this and that."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from launchplan.engines import Process
from launchplan.render.container.health import Health, health_of
from tests.render.kit import CASES, case_launch

TOKENS = {"usage": {"completion_tokens": 1}}


@contextmanager
def server(status: int, answer: object) -> Iterator[tuple[int, list[dict[str, str]]]]:
    seen: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            key = self.headers.get("Authorization", "")
            seen.append({"path": self.path, "method": self.command, "body": body, "key": key})
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield http.server_port, seen
        finally:
            http.shutdown()
            thread.join()


def ask(health: Health, port: int, env: Mapping[str, str] = {}) -> int:
    words = [word.replace(f":{health.port}/", f":{port}/") for word in health.command]
    assert words[0] == "python3"
    return subprocess.run(
        [sys.executable, "-IS", *words[1:]], env=dict(env), capture_output=True, check=False, timeout=60
    ).returncode


def head_of(case: str, name: str) -> tuple[Process, Health]:
    launch = case_launch(case)
    process = next(each for each in launch.processes if each.name == name)
    health = health_of(launch, process)
    assert health is not None
    return process, health


@pytest.mark.parametrize(
    ("status", "answer", "healthy"),
    [
        (200, TOKENS, True),
        (200, {"usage": {"completion_tokens": 0}}, False),
        (200, {}, False),
        (503, TOKENS, False),
    ],
)
def test_vllm_is_healthy_when_it_generates(status: int, answer: object, healthy: bool) -> None:
    _, health = head_of("one-node", "node-0")
    with server(status, answer) as (port, seen):
        assert (ask(health, port) == 0) == healthy
    (request,) = seen
    assert (request["path"], request["method"]) == ("/v1/chat/completions", "POST")
    assert json.loads(request["body"]) == {
        "model": case_launch("one-node").model_name,
        "messages": [{"role": "user", "content": "Hi"}],
        "max_tokens": 1,
    }


@pytest.mark.parametrize(
    ("case", "name", "path"),
    [
        ("sglang-two-nodes", "node-0", "/health_generate"),
        ("pools-sglang", "prefill-0", "/health_generate"),
        ("pools-vllm", "decode-0", "/health"),
    ],
)
@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False)])
def test_others_say_it_themselves(case: str, name: str, path: str, status: int, healthy: bool) -> None:
    _, health = head_of(case, name)
    with server(status, "") as (port, seen):
        assert (ask(health, port) == 0) == healthy
    assert [(each["path"], each["method"]) for each in seen] == [(path, "GET")]


def test_the_key_of_the_api_is_sent_and_proxies_are_passed_by() -> None:
    _, health = head_of("one-node", "node-0")
    env = {"VLLM_API_KEY": "mine", "http_proxy": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
    with server(200, TOKENS) as (port, seen):
        assert ask(health, port, env) == 0
    assert [each["key"] for each in seen] == ["Bearer mine"]


def test_nobody_there_is_not_healthy() -> None:
    _, health = head_of("one-node", "node-0")
    with server(200, TOKENS) as (port, _):
        pass
    assert ask(health, port) != 0


def test_followers_are_not_asked() -> None:
    for case in CASES:
        launch = case_launch(case)
        for process in launch.processes:
            assert (health_of(launch, process) is not None) == (process.port is not None)
