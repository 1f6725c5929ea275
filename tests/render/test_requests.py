"""`wait-ready.sh` and `smoke.sh` against a server that behaves, misbehaves, or is not there."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.render.kit import Host, case_bundle, case_launch

Answer = tuple[int, object]
"""A status and a body: JSON, or text as it is."""
ONE_SECOND = {"READY_TIMEOUT_S": "1"}
QUICK = {"READY_TIMEOUT_S": "2", "READY_POLL_S": "0"}


@dataclass
class Server:
    """What the stub answers, and what it was asked."""

    models: Answer
    chat: Callable[[int, dict[str, Any]], Answer]
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str | None] = field(default_factory=set)
    url: str = ""


def handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(*(server.models if self.path == "/v1/models" else (404, "nothing here")))

        def do_POST(self) -> None:
            assert self.path == "/v1/chat/completions"
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append(request)
            self.answer(*server.chat(len(server.requests), request))

        def answer(self, status: int, body: object) -> None:
            server.keys.add(self.headers["Authorization"])
            content = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the base class calls it so
            pass

    return Handler


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler(server)) as listening:
        server.url = f"http://127.0.0.1:{listening.server_port}"
        thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            listening.shutdown()
            thread.join()


def message(tokens: int = 4, **message: object) -> dict[str, object]:
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": None} | message}],
        "usage": {"prompt_tokens": 9, "completion_tokens": tokens, "completion_tokens_details": None},
    }


def models(*names: str) -> Answer:
    return 200, {"object": "list", "data": [{"id": name, "object": "model"} for name in names]}


def host_of(case: str, root: Path) -> Host:
    host = Host(root)
    host.put(case_bundle(case))
    return host


def mapped(text: str, server: Server) -> str:
    """Take out of a text what differs from run to run."""
    return re.sub(r"\b\d s\b", "N s", text.replace(server.url, "URL"))


@pytest.mark.parametrize(
    "good",
    [
        message(content='Hello, "you"'),
        message(reasoning="The user"),
        message(reasoning_content="The user"),
        json.dumps(message(content="\\"), indent=2),
        json.dumps(message(content="Grüße"), separators=(",", ":")),
    ],
)
def test_ready_once_text_was_generated(good: object, tmp_path: Path) -> None:
    answers: list[Answer] = [
        (503, "starting"),
        (500, {"error": {"message": "EngineDeadError"}}),
        (200, message(0, content="")),
        (200, message(3, content="")),
        (200, {"status": "ok"}),
        (200, message(0, content="Hello")),
        (200, good),
    ]
    host = host_of("two-nodes", tmp_path)
    with serving(Server(models(), lambda count, _: answers[count - 1])) as server:
        run = host.script("wait-ready.sh", f"{server.url}/", env={"READY_POLL_S": "0", "API_KEY": "k1"})
        assert (run.code, mapped(run.stdout, server), run.stderr) == (
            0,
            "ready after N s: URL generates text\n",
            "",
        )
    assert server.keys == {"Bearer k1"}
    assert server.requests == [
        {
            "model": "Qwen/Qwen3.8-2.4T-A95B-FP8",
            "messages": [{"role": "user", "content": "Say hello in five words."}],
            "max_tokens": 16,
        }
    ] * len(answers)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((500, "no\nengine"), "HTTP 500: no engine"),
        ((200, {"usage": {"completion_tokens": 0}}), 'HTTP 200: {"usage": {"completion_tokens": 0}}'),
        ((404, "x" * 300), f"HTTP 404: {'x' * 200}"),
    ],
)
def test_never_ready(answer: Answer, said: str, tmp_path: Path) -> None:
    with serving(Server(models(), lambda *_: answer)) as server:
        run = host_of("two-nodes", tmp_path).script(
            "wait-ready.sh", server.url, env=QUICK | {"READY_POLL_S": "1"}
        )
        assert (run.code, run.stdout) == (1, "")
        assert mapped(run.stderr, server) == f"not ready after N s, URL does not generate text; {said}\n"
    assert server.keys == {None}


def test_it_says_what_it_waits_for(tmp_path: Path) -> None:
    host = host_of("two-nodes", tmp_path)
    script = host.bundle / "wait-ready.sh"
    text = script.read_text()
    assert "\nreport_at=30\n" in text
    script.write_text(text.replace("\nreport_at=30\n", "\nreport_at=0\n"))
    with serving(Server(models(), lambda *_: (503, "starting"))) as server:
        run = host.script("wait-ready.sh", server.url, env=ONE_SECOND)
    assert run.stderr.splitlines()[0] == "0 s of 1 s; HTTP 503: starting"


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        run = host_of("two-nodes", tmp_path).script("wait-ready.sh", url, env=QUICK | {"READY_POLL_S": "5"})
    assert run.code == 1
    assert re.fullmatch(
        rf"not ready after 2 s, {url} does not generate text; no answer: curl: \(7\) Failed to connect [^\n]*\n",
        run.stderr,
    )


def test_server_that_accepts_and_stays_silent(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        run = host_of("two-nodes", tmp_path).script("wait-ready.sh", url, env=QUICK)
    assert run.code == 1
    assert "no answer: curl: (28) Operation timed out" in run.stderr


@pytest.mark.parametrize(
    ("case", "env", "url"),
    [
        ("one-node", {}, "http://127.0.0.1:8123"),
        ("two-nodes", {}, "http://127.0.0.1:8000"),
        ("two-nodes", {"HEAD_ADDR": "10.1.1.1"}, "http://10.1.1.1:8000"),
        ("two-nodes-on-site", {}, "http://127.0.0.1:8000"),
        ("sglang-two-nodes", {"HEAD_ADDR": "10.1.1.1"}, "http://127.0.0.1:30000"),
        ("amd-node", {"HEAD_ADDR": "10.1.1.1"}, "http://10.1.1.1:30000"),
        ("pools-vllm", {"PREFILL_0_HEAD_ADDR": "10.1.1.2"}, "http://10.1.1.2:9000"),
        ("pools-sglang", {}, "http://127.0.0.1:8080"),
    ],
)
def test_the_url_without_one_given(case: str, env: dict[str, str], url: str, tmp_path: Path) -> None:
    host = host_of(case, tmp_path)
    host.record("curl", then='print(\'{"content": "x", "completion_tokens": 1}\\n200\')')
    assert host.script("wait-ready.sh", env=env).argv[-1] == f"{url}/v1/chat/completions"


TOOL_CALL = message(content="Hi", tool_calls=[{"type": "function", "function": {"name": "get_weather"}}])


@pytest.mark.parametrize(
    ("case", "listed", "plain", "tool", "code", "lines"),
    [
        (
            "two-nodes", "Qwen/Qwen3.8-2.4T-A95B-FP8", (200, message(content='Hi "you"')), (200, TOOL_CALL), 0,
            [
                'ok    /v1/models lists "Qwen/Qwen3.8-2.4T-A95B-FP8"',
                'ok    /v1/chat/completions generates "Hi \\"you\\""',
                "ok    a request with a tool: the tool is called",
            ],
        ),
        (
            "two-nodes", "another", (500, "dead"), (200, message(content="Hi")), 1,
            [
                ('FAIL  /v1/models does not list "Qwen/Qwen3.8-2.4T-A95B-FP8"; HTTP 200: '
                '{"object": "list", "data": [{"id": "another", "object": "model"}]}'),
                "FAIL  /v1/chat/completions does not generate text; HTTP 500: dead",
                "ok    a request with a tool: HTTP 200, no call in its few tokens",
            ],
        ),
        (
            "sglang-two-nodes", "acme/experts-235b", (200, message(reasoning="Hm")), (400, "no parser"), 1,
            [
                'ok    /v1/models lists "acme/experts-235b"',
                'ok    /v1/chat/completions generates "Hm"',
                "FAIL  a request with a tool; HTTP 400: no parser",
            ],
        ),
        (
            "one-node", 'acme\'s "dense" model: $8b', (200, message(content="Hi")), (500, "not asked"), 0,
            [
                'ok    /v1/models lists "acme\'s \\"dense\\" model: $8b"',
                'ok    /v1/chat/completions generates "Hi"',
            ],
        ),
        (
            "pools-vllm", "unknown", (200, message(content="Hi")), (500, "not asked"), 0,
            [
                ('warn  /v1/models of the router does not list "acme/experts-235b"; HTTP 200: '
                '{"object": "list", "data": [{"id": "unknown", "object": "model"}]}'),
                'ok    /v1/chat/completions generates "Hi"',
            ],
        ),
    ],
)  # fmt: skip
def test_smoke(
    case: str, listed: str, plain: Answer, tool: Answer, code: int, lines: list[str], tmp_path: Path
) -> None:
    with serving(Server(models(listed), lambda _, request: tool if "tools" in request else plain)) as server:
        run = host_of(case, tmp_path).script("smoke.sh", server.url)
    assert (run.code, run.stdout.splitlines(), run.stderr) == (code, lines, "")
    assert {request["model"] for request in server.requests} == {case_launch(case).model_name}
