"""Time ten thousand verdicts in one process, against bare argument parsing in the same run.

    python tests/benchmarks/verdicts.py [COUNT]

Prints seconds, verdicts a second, and how much longer a verdict takes than reading its words with the engine's
flags. The launches are those of `tests/conformance/data`, both engines in turn; catalog and parsers are loaded
before the clock starts. No test: the figures belong to the machine.
"""

from __future__ import annotations

import gzip
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launchplan import api, catalog
from launchplan.engines.arguments import Word, read_arguments
from launchplan.engines.vllm.words import rewrite

DATA = Path(__file__).parents[1] / "conformance" / "data"
COUNT = 10_000


@dataclass(frozen=True, slots=True)
class Launch:
    """One command and what it stands on."""

    engine: str
    version: str
    words: tuple[str, ...]
    gpu: str
    gpus: int
    env: dict[str, str]

    def verdict(self) -> object:
        return api.lint(
            self.words,
            gpu=self.gpu,
            gpus_per_node=self.gpus,
            version=self.version,
            env=self.env,
            memory=False,
        ).ok

    def parse(self) -> object:
        facts = catalog.engine_facts(self.engine, self.version)
        assert facts is not None
        words = tuple(Word(text, index) for index, text in enumerate(self.words[2:], 2))
        return read_arguments(facts, rewrite(words) if self.engine == "vllm" else words).refusal


def launches(path: Path) -> Iterator[Launch]:
    engine, version, _ = path.name.split("-")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row: dict[str, Any] = json.loads(line)
            model = [row["model"]] if engine == "vllm" else ["--model-path", row["model"]]
            words = (engine, "serve", *model, *row["args"])
            yield Launch(engine, version, words, row["gpu"], row["gpus"], row.get("env", {}))


def chosen(count: int) -> tuple[Launch, ...]:
    """Take launches of both engines in turn, around again when they don't suffice."""
    files = [tuple(launches(path)) for path in sorted(DATA.glob("*-config.jsonl.gz"))]
    in_turn = [launch for group in itertools.zip_longest(*files) for launch in group if launch is not None]
    return tuple(itertools.islice(itertools.cycle(in_turn), count))


def seconds(work: Callable[[Launch], object], taken: Sequence[Launch]) -> float:
    start = time.perf_counter()
    for launch in taken:
        work(launch)
    return time.perf_counter() - start


def main(count: int) -> None:
    taken = chosen(count)
    for launch in {each.words[:4]: each for each in taken}.values():
        launch.verdict()
    parsing = seconds(Launch.parse, taken)
    judging = seconds(Launch.verdict, taken)
    sys.stdout.write(
        f"{count:,} verdicts: {judging:.2f} s, {count / judging:,.0f} verdicts/s, {1000 * judging / count:.3f} ms each\n"
        f"{count:,} argument lists parsed alone: {parsing:.2f} s; a verdict takes {judging / parsing:.1f} times as long\n"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else COUNT)
