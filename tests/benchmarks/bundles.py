"""Time a cluster file of many hosts: from the files to every byte of the bundle.

    python tests/benchmarks/bundles.py [HOSTS]

Prints the seconds of a recipe over so many hosts for all targets, the share of each stage, and how that grows
against a quarter of the hosts in the same run. Catalog and templates are loaded before the clock starts. No test:
the figures belong to the machine.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from launchplan import api

HOSTS = 64
REPEATS = 5
"""The quickest of so many runs counts: what else the machine does makes the others slower."""


def recipe(hosts: int) -> dict[str, Any]:
    return {
        "launchplan": 1,
        "name": "many-hosts",
        "model": "Qwen/Qwen3-235B-A22B",
        "engine": {"name": "vllm", "version": "0.33.0"},
        "hardware": {"gpu": "h200", "nodes": hosts, "gpus_per_node": 8, "fabric": "infiniband"},
        "parallel": {"tp": 8, "dp": hosts, "ep": 8 * hosts, "load_balancing": "hybrid"},
    }


def cluster(hosts: int) -> dict[str, Any]:
    nodes = [
        {"name": f"gpu-{index:03d}", "address": f"10.0.{index // 250}.{index % 250 + 1}"}
        for index in range(hosts)
    ]
    return {
        "launchplan": 1,
        "name": "many",
        "nodes": nodes,
        "network": {"interface": "bond0", "hcas": ["mlx5_0"]},
    }


def seconds(hosts: int) -> tuple[float, float, int]:
    """Give the seconds of check and of check and rendering, and the number of files."""
    start = time.perf_counter()
    report = api.check(recipe(hosts), cluster=cluster(hosts))
    checked = time.perf_counter()
    if report.plan is None or report.plan.launch is None:
        raise SystemExit(f"{hosts} hosts: no launch; {report.findings}")
    bundle = api.render(recipe(hosts), cluster=cluster(hosts), targets=("all",), force=True)
    return checked - start, time.perf_counter() - checked, len(bundle.files)


def main() -> None:
    hosts = int(sys.argv[1]) if len(sys.argv) > 1 else HOSTS
    few = max(1, hosts // 4)
    seconds(1)  # loads what is loaded once
    small = min(seconds(few)[1] for _ in range(REPEATS))
    runs = [seconds(hosts) for _ in range(REPEATS)]
    check, whole, files = min(run[0] for run in runs), min(run[1] for run in runs), runs[0][2]
    sys.stdout.write(
        f"{hosts} hosts: {whole:.2f} s for {files} files of all targets, of that the plan {check:.2f} s\n"
    )
    sys.stdout.write(f"{whole / small:.1f} times as long as {few} hosts\n")


if __name__ == "__main__":
    main()
