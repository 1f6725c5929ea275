"""Time `launchplan lint` of a Markdown runbook of 500 lines with 30 commands, start-up included.

    python tests/benchmarks/lint.py [RUNS]

Prints the processor time of a whole process, the best of some runs, for the runbook and for a file without a
command; the difference is what finding and judging cost. Python's compiled modules are written by a first run.
No test: the figures belong to the machine.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

COMMANDS = 30
LINES = 500
MODELS = ("Qwen/Qwen3-32B", "Qwen/Qwen3-8B", "deepseek-ai/DeepSeek-R1")
FLAGS = (
    "--max-model-len 32768",
    "--gpu-memory-utilization 0.92",
    "--kv-cache-dtype fp8",
    "--max-num-seqs 64 --enable-prefix-caching",
    "--enable-auto-tool-choice --tool-call-parser hermes",
)


def runbook() -> str:
    """Write commands of both engines between prose, as runbooks have them."""
    lines = ["# Runbook", "", "Install it: `pip install vllm==0.33.0`.", ""]
    for number in range(COMMANDS):
        lines += [f"## Deployment {number}", "", "```bash", *_command(number), "```", ""]
    prose = "Wait until the server answers, then look at its log before you send it any load."
    lines += [prose] * (LINES - len(lines))
    return "\n".join(lines) + "\n"


def _command(number: int) -> Iterator[str]:
    model = MODELS[number % len(MODELS)]
    if number % 4 == 3:
        yield f"python3 -m sglang.launch_server --model-path {model} \\"
        yield f"  --tp 8 --host 0.0.0.0 --port {30000 + number}"
        return
    yield f"CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 vllm serve {model} \\"
    yield f"  --tensor-parallel-size 8 --port {8000 + number} \\"
    yield f"  {FLAGS[number % len(FLAGS)]}"


def seconds(path: Path, cache: str) -> float:
    """Give the processor time of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "launchplan", "lint", str(path), "--gpu", "h200"]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    ran = subprocess.run(
        command, env=env | {"PYTHONPYCACHEPREFIX": cache}, capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ran.returncode not in {0, 1}:
        raise SystemExit(ran.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        book, empty = Path(folder, "runbook.md"), Path(folder, "empty.md")
        book.write_text(runbook(), encoding="utf-8")
        empty.write_text("# Nothing\n", encoding="utf-8")
        for path in (empty, book):
            seconds(path, folder)
        idle, busy = (min(seconds(path, folder) for _ in range(runs)) for path in (empty, book))
    sys.stdout.write(
        f"runbook of {LINES} lines with {COMMANDS} commands: {busy:.2f} s of processor time; "
        f"a file without a command: {idle:.2f} s; {1000 * (busy - idle) / COMMANDS:.1f} ms a command\n"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
