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

from launchplan.engines import Launch
from launchplan.render import render_bundle
from tests.render.kit import Host, case_bundle, case_launch, make_launch

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
        # Long enough for a busy machine to ask twice; the first report comes after the first answer.
        run = host.script("wait-ready.sh", server.url, env=ONE_SECOND | {"READY_TIMEOUT_S": "5"})
    assert re.fullmatch("[0-4] s of 5 s; HTTP 503: starting", run.stderr.splitlines()[0])


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        run = host_of("two-nodes", tmp_path).script("wait-ready.sh", url, env=QUICK | {"READY_POLL_S": "5"})
    assert run.code == 1
    assert re.fullmatch(
        rf"not ready after \d+ s, {url} does not generate text; no answer: curl: \(7\) Failed to connect [^\n]*\n",
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
        ("two-nodes", {"HEAD_ADDR": "fd00::1"}, "http://[fd00::1]:8000"),
        ("two-nodes", {"HEAD_ADDR": "[fd00::1]"}, "http://[fd00::1]:8000"),
        ("two-nodes-on-site", {}, "http://10.0.0.1:8000"),
        ("two-nodes-on-site", {"HEAD_ADDR": "10.9.9.9"}, "http://10.0.0.1:8000"),
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
    host.record("vllm", "python3")
    bench = host.script("bench.sh", env=env).argv
    assert bench[bench.index("--base-url") + 1] == url


def sited(address: str, **recipe: object) -> Launch:
    """Make a launch on a host with an address that the cluster file gives."""
    data = {
        "launchplan": 1, "name": "sited", "model": "nobody/knows", "engine": {"name": "vllm", "version": "0.33.0"},
        "hardware": {"gpu": "h200", "nodes": 1, "gpus_per_node": 1}, **recipe,
    }  # fmt: skip
    return make_launch(data, {"launchplan": 1, "name": "site", "nodes": [{"address": address}]})


@pytest.mark.parametrize(
    ("address", "recipe", "url"),
    [
        ("fd00::1", {}, "http://[fd00::1]:8000"),
        ("[fd00::1]", {}, "http://[fd00::1]:8000"),
        ("gpu-1", {"serve": {"host": "fd00::2"}}, "http://[fd00::2]:8000"),
        ("gpu-1", {"serve": {"host": "::1"}}, "http://[::1]:8000"),
        ("gpu-1", {"serve": {"host": "localhost"}}, "http://127.0.0.1:8000"),
        ("gpu-1", {"args": {"ssl-certfile": "/c.pem", "ssl-keyfile": "/k.pem"}}, "https://gpu-1:8000"),
        ("gpu-1", {"args": {"root-path": "/api"}}, "http://gpu-1:8000"),
    ],
)
def test_the_url_of_a_known_host(address: str, recipe: dict[str, object], url: str, tmp_path: Path) -> None:
    bundle = render_bundle(sited(address, **recipe), (), ("shell",), None)
    host = Host(tmp_path)
    host.put(bundle)
    host.record("curl", then='print(\'{"content": "x", "completion_tokens": 1}\\n200\')')
    host.record("vllm")
    assert host.script("wait-ready.sh").argv[-1] == f"{url}/v1/chat/completions"
    bench = host.script("bench.sh").argv
    assert bench[bench.index("--base-url") + 1] == url
    runbook = bundle.files["RUNBOOK.md"].decode()
    told = re.findall(r"https?://(?!huggingface\.co/)[^\s,'\">]+", runbook)
    assert set(told) == {url, f"{url}/v1", f"{url}/v1/chat/completions"}


def test_tls_trusts_what_it_is_told_to(tmp_path: Path) -> None:
    host = Host(tmp_path)
    launch = sited("gpu-1", args={"ssl-certfile": "/c.pem", "ssl-keyfile": "/k.pem"})
    host.put(render_bundle(launch, (), ("shell",), None))
    host.record("curl", then='print(\'{"content": "x", "completion_tokens": 1}\\n200\')')
    host.record("vllm")
    assert "--insecure" in host.script("wait-ready.sh").argv
    words = host.script("wait-ready.sh", env={"CA_CERT": "/a ca.pem"}).argv
    assert "--insecure" not in words
    assert words[words.index("--cacert") + 1] == "/a ca.pem"
    env = host.script("bench.sh", env={"CA_CERT": "/a ca.pem"}).env
    assert (env["SSL_CERT_FILE"], env["REQUESTS_CA_BUNDLE"]) == ("/a ca.pem", "/a ca.pem")


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({"uds": "/run/it's.sock"}, "node-0 listens on the Unix socket /run/it's.sock, not on a port"),
        ({"grpc": True}, "node-0 speaks gRPC, not HTTP"),
    ],
)
def test_an_api_that_is_not_http(args: dict[str, object], why: str, tmp_path: Path) -> None:
    host = Host(tmp_path)
    bundle = render_bundle(sited("gpu-1", args=args), (), ("shell",), None)
    host.put(bundle)
    host.record("vllm")
    for script in ("wait-ready.sh", "smoke.sh", "bench.sh"):
        run = host.script(script)
        said = f"{why}; give the HTTP URL of a proxy in front of it\n"
        assert (run.code, run.stdout, run.stderr) == (1, "", said)
    bench = host.script("bench.sh", "http://proxy:1/").argv
    assert bench[bench.index("--base-url") + 1] == "http://proxy:1"
    assert "curl" not in bundle.files["RUNBOOK.md"].decode()
    assert ("check_port 8000" in bundle.files["preflight.sh"].decode()) == ("grpc" in args)


NO_MODEL = {"error": {"message": "The model `x` does not exist.", "type": "NotFoundError", "code": 404}}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, "who?"), "URL refuses the request; HTTP 401: who?; export API_KEY with the key that it wants"),
        ((403, "no"), "URL refuses the request; HTTP 403: no; export API_KEY with the key that it wants"),
        (
            (404, NO_MODEL),
            f"URL serves another model or name; HTTP 404: {json.dumps(NO_MODEL)}; see URL/v1/models",
        ),
    ],
)
def test_what_waiting_does_not_change(answer: Answer, said: str, tmp_path: Path) -> None:
    answers = [(503, "starting"), answer]
    with serving(Server(models(), lambda count, _: answers[count - 1])) as server:
        run = host_of("two-nodes", tmp_path).script("wait-ready.sh", server.url, env={"READY_POLL_S": "0"})
        assert (run.code, run.stdout, mapped(run.stderr, server)) == (1, "", f"{said}\n")


def test_a_router_may_come_to_know_the_model(tmp_path: Path) -> None:
    answers: list[Answer] = [(404, NO_MODEL), (200, message(content="Hi"))]
    with serving(Server(models(), lambda count, _: answers[count - 1])) as server:
        run = host_of("pools-vllm", tmp_path).script("wait-ready.sh", server.url, env={"READY_POLL_S": "0"})
    assert run.code == 0


NO_REASONING = (
    "the answer comes without reasoning; the model thinks on request only, or its reasoning parser fails"
)
NO_CALL = "a request with a tool: no call; the model had no need of it, or its tool parser fails"
TOOL_CALL = message(content="Hi", tool_calls=[{"type": "function", "function": {"name": "get_weather"}}])


@pytest.mark.parametrize(
    ("case", "listed", "plain", "tool", "code", "lines"),
    [
        (
            "two-nodes", "Qwen/Qwen3.8-2.4T-A95B-FP8", (200, message(content='Hi "you"')), (200, TOOL_CALL), 0,
            [
                'ok    /v1/models lists "Qwen/Qwen3.8-2.4T-A95B-FP8"',
                'ok    /v1/chat/completions generates "Hi \\"you\\""',
                "warn  " + NO_REASONING,
                "ok    a request with a tool: the tool is called",
                "ok    a request that demands the tool: the tool is called",
            ],
        ),
        (
            "two-nodes", "another", (500, "dead"), (200, message(content="Hi")), 1,
            [
                ('FAIL  /v1/models does not list "Qwen/Qwen3.8-2.4T-A95B-FP8"; HTTP 200: '
                '{"object": "list", "data": [{"id": "another", "object": "model"}]}'),
                "FAIL  /v1/chat/completions does not generate text; HTTP 500: dead",
                "FAIL  a request with room to think; HTTP 500: dead",
                f"warn  {NO_CALL}; HTTP 200: {json.dumps(message(content='Hi'))[:200]}",
                f"FAIL  a request that demands the tool: no call; HTTP 200: {json.dumps(message(content='Hi'))[:200]}",
            ],
        ),
        (
            "sglang-two-nodes", "acme/experts-235b", (200, message(reasoning="Hm")), (400, "no parser"), 1,
            [
                'ok    /v1/models lists "acme/experts-235b"',
                'ok    /v1/chat/completions generates "Hm"',
                "FAIL  a request with a tool; HTTP 400: no parser",
                "FAIL  a request that demands the tool: no call; HTTP 400: no parser",
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


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (
            {"content": "Hi", "reasoning": "The user " * 500},
            f'ok    its reasoning stands apart from the answer: "{("The user " * 7)[:59]}',
        ),
        (
            {"content": "The user</think>Hi", "reasoning": None},
            "FAIL  the reasoning stands in the answer; the reasoning parser does not fit the model; HTTP 200: ",
        ),
        ({"content": "Hi", "reasoning": ""}, f"warn  {NO_REASONING}"),
    ],
)
def test_smoke_of_reasoning(content: dict[str, Any], line: str, tmp_path: Path) -> None:
    answer = (200, message(**content))
    with serving(Server(models(), lambda *_: answer)) as server:
        run = host_of("two-nodes", tmp_path).script("smoke.sh", server.url)
    assert run.stdout.splitlines()[2].startswith(line)
    asked = [request for request in server.requests if "tools" not in request][1]
    assert (asked["max_tokens"], asked["reasoning_effort"]) == (1024, "low")


def test_a_tool_that_is_talked_of_is_not_called(tmp_path: Path) -> None:
    talk = message(content='{"name": "get_weather"}', tool_calls=[])
    with serving(Server(models(), lambda *_: (200, talk))) as server:
        run = host_of("two-nodes", tmp_path).script("smoke.sh", server.url)
    assert [line[:6] for line in run.stdout.splitlines()[-2:]] == ["warn  ", "FAIL  "]
    assert [request.get("tool_choice") for request in server.requests[-2:]] == [None, "required"]
