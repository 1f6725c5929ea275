"""Time a search over every layout of a model on every GPU, cold, in one process.

    python tests/benchmarks/fit.py [MODEL] [MAX_GPUS]

Prints the seconds of a cold start of the program with the search, the layouts decided on, layouts a second of the
search alone, and the peak of memory. No test: the figures belong to the machine.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from launchplan import api

MODEL, MAX_GPUS = "moonshotai/Kimi-K3", 128


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
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    cold_s = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s, peak_mib = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    assert done.returncode in {0, 1}
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
