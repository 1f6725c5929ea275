"""Turn the offers of `launchplan fit` into launches for the recorder, and count what it says of them.

    .venv/bin/python -m tests.conformance.offers launches vllm LAUNCHES --models DIR
    <engine's venv>/bin/python -m tests.conformance.record vllm LAUNCHES VERDICTS --models DIR
    .venv/bin/python -m tests.conformance.offers keep vllm LAUNCHES VERDICTS

DIR holds the configs of the models, as `tests/conformance/record` wants them; without their `auto_map`, whose
code is not at hand. Every checkpoint of the catalog that has a folder there is searched on some of the GPUs,
every other for a workload. LAUNCHES gets the command of the head of each offer, the same number of each kind as
far as there are. `keep` writes the verdicts to `tests/conformance/offers/data`.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from tests.conformance.offers.launches import launches_of, write_launches
from tests.conformance.offers.rows import keep


def main() -> None:
    asked = _asked()
    if asked.task == "keep":
        keep(asked.engine, asked.launches, asked.verdicts, datetime.now(UTC).date())
        return
    names = sorted(f"{path.parent.name}/{path.name}" for path in asked.models.glob("*/*"))
    found = launches_of(asked.engine, names, asked.each, _say)
    write_launches(asked.launches, found)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.offers")
    tasks = parser.add_subparsers(dest="task", required=True)
    task = tasks.add_parser("launches")
    task.add_argument("engine", choices=("vllm", "sglang"))
    task.add_argument("launches", type=Path)
    task.add_argument("--models", type=Path, required=True)
    task.add_argument("--each", type=int, default=36, help="offers of a checkpoint, at most")
    task = tasks.add_parser("keep")
    task.add_argument("engine", choices=("vllm", "sglang"))
    task.add_argument("launches", type=Path)
    task.add_argument("verdicts", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
