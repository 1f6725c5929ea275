"""Time a search over every layout of a model on every GPU: the whole program cold, and the search in one process.

    python tests/benchmarks/fit.py [MODEL] [MAX_GPUS]

Prints the seconds of a cold start of the program with the search, on as many cores as it takes, the peak of memory
of its processes together, the layouts decided on, and layouts a second of the search alone in one process. No test:
the figures belong to the machine.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

from launchplan import api

MODEL, MAX_GPUS = "moonshotai/Kimi-K3", 128
_LOOK_S = 0.05


def held_mib(process: int) -> float:
    """Sum the memory of a process and those it started, pages that they share once; 0 off Linux."""
    try:
        names = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0.0  # it has ended, or there is no such file here
    held = next((int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")), 0)
    return held / 1024 + sum(held_mib(int(name)) for name in names)


def main(model: str, max_gpus: int) -> None:
    command = [
        sys.executable,
        "-m",
        "launchplan",
        "fit",
        model,
        "--max-gpus",
        str(max_gpus),
        "--derived",
        "--json",
    ]
    start = time.perf_counter()
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak_mib = 0.0
    while running.poll() is None:
        peak_mib = max(peak_mib, held_mib(running.pid))
        time.sleep(_LOOK_S)
    cold_s = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = usage.ru_utime + usage.ru_stime
    assert running.returncode in {0, 1}
    start, before = time.perf_counter(), time.process_time()
    fits = api.fit(model, max_gpus=max_gpus, derived=True)
    search_s, search_cpu_s = time.perf_counter() - start, time.process_time() - before
    sys.stdout.write(
        f"{model} on up to {max_gpus} GPUs: {fits.layouts:,} layouts, {len(fits.offers):,} offers\n"
    )
    sys.stdout.write(f"cold: {cold_s:.1f} s ({cpu_s:.1f} s of CPU), {peak_mib:.0f} MiB at most\n")
    rate = fits.layouts / search_cpu_s
    sys.stdout.write(
        f"search: {search_s:.1f} s ({search_cpu_s:.1f} s of CPU), {rate:,.0f} layouts a second of CPU\n"
    )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else MODEL, int(sys.argv[2]) if len(sys.argv) > 2 else MAX_GPUS)
