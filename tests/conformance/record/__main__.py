"""Ask an installed engine for its verdict on launches, without a GPU.

    cd <root of this repository>
    <engine's venv>/bin/python -m tests.conformance.record vllm LAUNCHES OUT --models DIR [--stage worker]

LAUNCHES holds one JSON object a line: id, model, args, gpu, gpus, env (a recording of another release does:
its verdicts are ignored). DIR holds `<organisation>/<name>/config.json` of every model, and
`hf_quant_config.json` where the checkpoint has one. OUT gets a line for each launch, in the form of
`tests/conformance/data`; compress it with `gzip -9n` and name it `<engine>-<version>-<stage>.jsonl.gz`.

Stage `config` is the engine's parser, dispatch and finished configuration; `worker` goes on to the model
class of the first and the last rank, and with SGLang to the sizes of its pools. The engine is the unmodified release; only what asks for a device is
answered by `pretend`, and a driver that isn't there is made hollow by `stubs`. Each GPU gets a process of its
own, since engines remember what they found, and each launch a fork of that process; with `--together` only a launch
that is refused gets one.

The environment holds the engine and what its metadata requires; launchplan is not needed. A CPU build of torch
will do, with `cc`, `nm` and `readelf`. A package that is missing looks like a refusal: record a part of the last
release's launches first, and look for places in `where` that are imports.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.conformance.record import isolate, sglang_stage, vllm_stage
from tests.conformance.record.launches import Launch, read_launches, write_line
from tests.conformance.record.pretend import Device, read_device

ENGINES: dict[tuple[str, str], Callable[[Device, Path], isolate.Engine]] = {
    ("vllm", "config"): vllm_stage.Engine,
    ("vllm", "worker"): partial(vllm_stage.Engine, stage="worker"),
    ("sglang", "config"): sglang_stage.Engine,
    ("sglang", "worker"): partial(sglang_stage.Engine, stage="worker"),
}


def main() -> None:
    asked = _asked()
    launches = read_launches(asked.launches)
    groups = itertools.groupby(sorted(launches, key=_node), key=_node)
    with asked.out.open("w", encoding="utf-8") as out:
        for (gpu, gpus), members in groups:
            engine = ENGINES[asked.engine, asked.stage](read_device(gpu, gpus), asked.models)
            verdicts = isolate.judge_all(engine, tuple(members), asked.timeout, together=asked.together)
            for launch, verdict in verdicts:
                write_line(out, launch, verdict)
            sys.stderr.write(f"{gpus} x {gpu}: done\n")


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.record")
    parser.add_argument("engine", choices=("vllm", "sglang"))
    parser.add_argument("launches", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--stage", choices=("config", "worker"), default="config")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds that one launch may take")
    parser.add_argument(
        "--together", action="store_true", help="many launches a process, to find refusals only"
    )
    return parser.parse_args()


def _node(launch: Launch) -> tuple[str, int]:
    return launch.gpu, launch.gpus


if __name__ == "__main__":
    main()
