"""A stand-in for engines and routers: it meets the others where its command line says, and writes what it saw.

A head binds to the address that it is given and waits for its followers; a follower connects to that address by
whatever name it has; one side of a prefill/decode pair binds its side channel; a head then answers the router,
which connects to every server that it is told of. Ends with 1 when it doesn't meet everybody within the time.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sys
import time

PATIENCE_S = float(os.environ.get("STUB_PATIENCE_S", "30"))
RENDEZVOUS = {"vllm": 29501, "sglang": 20000}
RPC_PORT = 29550


def option(name: str, default: str = "") -> str:
    words = sys.argv
    return words[words.index(name) + 1] if name in words else default


def main() -> None:
    seen: dict[str, object] = {"argv": sys.argv, "env": dict(os.environ)}
    program = os.path.basename(sys.argv[0])  # noqa: PTH119
    urls = [re.fullmatch(r"https?://(.+):(\d+)", word) for word in sys.argv]
    routed = [(url[1], int(url[2])) for url in urls if url]
    if routed and ("--prefill" in sys.argv or "--decode" in sys.argv):
        seen["reached"] = [f"{host}:{port}" for host, port in routed if meet(host, port, "router")]
    else:
        side = os.environ.get("VLLM_NIXL_SIDE_CHANNEL_HOST")
        if side:
            listen(side, int(os.environ["VLLM_NIXL_SIDE_CHANNEL_PORT"])).close()
            seen["side_channel"] = side
        seen["met"] = rendezvous(program)
        if "STUB_ROUTED" in os.environ and not follower():
            port = int(option("--port", "8000" if program == "vllm" else "30000"))
            seen["asked_by"] = [accept(listen(option("--host", "0.0.0.0"), port))]  # noqa: S104
    with open(os.environ["STUB_OUT"], "w") as file:  # noqa: PTH123
        json.dump(seen, file)


def follower() -> bool:
    started = option("--data-parallel-rank", option("--data-parallel-start-rank", "0"))
    return "--headless" in sys.argv or option("--node-rank", "0") != "0" or started != "0"


def rendezvous(program: str) -> list[str]:
    """Meet the other nodes; give what the head was told, or what the follower reached."""
    address, port = option("--master-addr"), RENDEZVOUS["vllm"]
    if option("--master-port"):
        port = int(option("--master-port"))
    if option("--data-parallel-address"):
        address, port = option("--data-parallel-address"), RPC_PORT
    if option("--dist-init-addr"):
        address, _, text = option("--dist-init-addr").rpartition(":")
        port = int(text)
    if not address:
        return []
    rank = option("--node-rank", option("--data-parallel-start-rank", "0"))
    if follower():
        return [f"{address}:{port}"] if meet(address, port, rank) else sys.exit("the head was not met")
    server = listen(address, port)
    nodes = int(option("--nnodes", "0")) or int(option("--data-parallel-size")) // int(
        option("--data-parallel-size-local")
    )
    return sorted(accept(server) for _ in range(nodes - 1))


def listen(address: str, port: int) -> socket.socket:
    server = socket.create_server((address, port))
    server.settimeout(PATIENCE_S)
    return server


def accept(server: socket.socket) -> str:
    connection, _ = server.accept()
    with connection:
        return connection.recv(64).decode()


def meet(host: str, port: int, word: str) -> bool:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            with socket.create_connection((host, port), timeout=2) as connection:
                connection.sendall(word.encode())
                return True
        except OSError:
            time.sleep(0.1)
    return False


if __name__ == "__main__":
    main()
