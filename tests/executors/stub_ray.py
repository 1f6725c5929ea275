"""What stands for Ray on the hosts of a test: a head counts the GPUs of those who join, workers stay as long as it does.

Run as `ray start`, and as the Python program that waits for GPUs: it asks the head at RAY_ADDRESS. Who is started
writes its command line where engines write theirs.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

PATIENCE_S = float(os.environ.get("STUB_PATIENCE_S", "30"))


def option(name: str) -> str:
    return sys.argv[sys.argv.index(name) + 1]


def place(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def write() -> None:
    seen = {"argv": ["ray", *sys.argv[1:]], "env": dict(os.environ), "host": socket.gethostname(), "up": True}
    if "STUB_OUT" in os.environ:
        path = Path(os.environ["STUB_OUT"] + ".ray")
    else:
        path = Path(os.environ["ENGINE_RECORDS"]) / f"{socket.gethostname()}-{os.getpid()}.json"
    path.with_suffix(".part").write_text(json.dumps(seen))
    path.with_suffix(".part").rename(path)


class Head:
    def __init__(self) -> None:
        self.gpus = int(option("--num-gpus"))

    def run(self) -> None:
        address = (option("--node-ip-address"), int(option("--port")))
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        with socket.create_server(address, family=family) as server:
            write()
            while True:
                peer, _ = server.accept()
                threading.Thread(target=self.answer, args=(peer,), daemon=True).start()

    def answer(self, peer: socket.socket) -> None:
        asked = peer.recv(64).decode().split()
        if asked[0] == "join":
            self.gpus += int(asked[1])
            peer.recv(64)  # until it goes
        else:
            peer.sendall(str(self.gpus).encode())
            peer.close()


def connected(address: str) -> socket.socket:
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            return socket.create_connection(place(address), timeout=5)
        except OSError:
            if time.monotonic() > end:
                sys.exit("no head of Ray")
            time.sleep(0.1)


def work() -> None:
    with connected(option("--address")) as head:
        head.settimeout(None)
        write()
        head.sendall(f"join {option('--num-gpus')}".encode())
        head.recv(64)  # until it is gone; Ray itself gives up a minute later
    time.sleep(1)


def wait(wanted: float) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        with connected(os.environ["RAY_ADDRESS"]) as head:
            head.sendall(b"gpus")
            if float(head.recv(64)) >= wanted:
                return
        time.sleep(0.1)
    sys.exit("Ray has too few GPUs")


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
if sys.argv[1] == "-c":
    wait(float(sys.argv[3]))
elif "--head" in sys.argv:
    assert "--block" in sys.argv
    Head().run()
else:
    assert "--block" in sys.argv
    work()
