"""What stands for an engine or a router on the hosts of a test: it records, meets the others and serves /health.

Run as `vllm`, `sglang`, `vllm-router` or `python3`. A head listens on its rendezvous port, a follower calls
there; both write who they met. Everything ends on SIGTERM, as engines do, but for a follower of vLLM, which stays
until it gets its own.
"""

from __future__ import annotations

import http.server
import json
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

WORDS = sys.argv[1:]
NAME = Path(sys.argv[0]).name
RECORDS = Path(os.environ["ENGINE_RECORDS"])


def value(*names: str) -> str | None:
    return next((WORDS[WORDS.index(name) + 1] for name in names if name in WORDS), None)


def rendezvous() -> tuple[str, int] | None:
    if value("--master-addr"):
        return str(value("--master-addr")), int(value("--master-port") or 29501)
    if value("--dist-init-addr"):
        host, _, port = str(value("--dist-init-addr")).rpartition(":")
        return host, int(port)
    if value("--data-parallel-address"):
        return str(value("--data-parallel-address")), int(value("--data-parallel-rpc-port") or 29550)
    return None


def is_follower() -> bool:
    started = value("--data-parallel-rank", "--data-parallel-start-rank")
    return (value("--node-rank") or started or "0") != "0" or "--headless" in WORDS


def write(what: dict[str, object]) -> None:
    path = RECORDS / f"{socket.gethostname()}-{os.getpid()}.json"
    path.with_suffix(".part").write_text(json.dumps(what))
    path.with_suffix(".part").rename(path)


def meet(record: dict[str, object]) -> None:
    place = rendezvous()
    if place is None:
        return
    if is_follower():
        for _ in range(300):
            try:
                with socket.create_connection(place, timeout=5) as peer:
                    peer.sendall(socket.gethostname().encode())
                    record["met"] = [peer.recv(100).decode()]
                    return
            except OSError:
                time.sleep(0.1)
        sys.exit(9)
    followers = int(value("--nnodes") or 2) - 1
    met: list[str] = []
    with socket.create_server(("", place[1])) as server:
        while len(met) < followers:
            peer, _ = server.accept()
            with peer:
                met.append(peer.recv(100).decode())
                peer.sendall(socket.gethostname().encode())
    record["met"] = sorted(met)


class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def serve() -> None:
    default = {"vllm": "8000", "sglang": "30000"}.get(NAME)
    port = value("--port") or default
    if port and not is_follower():
        server = http.server.ThreadingHTTPServer(("", int(port)), Health)
        threading.Thread(target=server.serve_forever, daemon=True).start()


def ended(*_: object) -> None:
    (RECORDS / f"{socket.gethostname()}-{os.getpid()}.ended").touch()
    sys.exit(0)


if WORDS in (["--version"], ["version"]):
    sys.stdout.write(os.environ.get("ENGINE_VERSION", "0.33.0") + "\n")
    sys.exit(0)
signal.signal(signal.SIGTERM, ended)
seen: dict[str, object] = {"argv": [NAME, *WORDS], "env": dict(os.environ), "host": socket.gethostname()}
write(seen)
meet(seen)
serve()
write(seen | {"up": True})
if os.environ.get("ENGINE_FAILS") == socket.gethostname():
    sys.exit(7)
while True:
    time.sleep(60)
