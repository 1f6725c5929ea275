"""What engines said of offers: the rows that are kept, and their counts."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from launchplan import catalog

FOLDER = Path(__file__).parent
DATA = FOLDER / "data"
COUNTS = FOLDER / "counts.yaml"
CODE = "transformers does not know the model type, and code that the checkpoint may bring was not at hand"
DRAFT = "the config of the draft model was not at hand, so it was not asked"
APART = {
    "vllm/transformers_utils/config.py:445": CODE,
    "vllm/model_executor/models/registry.py:1225": "torchvision was not installed where the engine ran",
    "sglang/srt/arg_groups/muse_spark_hook.py:43": CODE,
}
"""Places that say nothing about an offer, and why."""
_KEPT = ("id", "model", "args", "gpu", "gpus", "env")

Row = dict[str, Any]


def rows_of(launches: Iterable[Row], verdicts: Iterable[Row]) -> list[Row]:
    """Join launches and verdicts; an offer that could not be asked has no `ok`, one without a verdict is left out."""
    said = {row["id"]: row for row in verdicts}
    found: list[Row] = []
    for launch in launches:
        row = {name: launch[name] for name in _KEPT if launch.get(name)}
        if launch["id"] in said:
            verdict = said[launch["id"]]
            found.append(
                row | {"ok": verdict["ok"]} | ({"where": verdict["where"]} if "where" in verdict else {})
            )
        elif launch.get("draft"):
            found.append(row)
    return sorted(found, key=lambda row: str(row["id"]))


def keep(engine: str, launches: Path, verdicts: Path, day: date) -> None:
    """Write the rows of an engine's newest release, and the counts of all."""
    rows = rows_of(_lines(launches), _lines(verdicts))
    name = f"{engine}-{catalog.versions(engine)[-1]}"
    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    DATA.mkdir(exist_ok=True)
    (DATA / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    counts = [each for each in read_counts() if each["engine"] != engine] if COUNTS.exists() else []
    counts.append(
        {"engine": engine, "version": name.partition("-")[2], "judged": day.isoformat(), **counted(rows)}
    )
    counts.sort(key=lambda each: str(each["engine"]))
    COUNTS.write_text(yaml.safe_dump(counts, sort_keys=False, width=110), encoding="utf-8")


def counted(rows: Iterable[Row]) -> Row:
    """Count rows: asked and accepted, apart by reason, and each refusal that is no artefact."""
    rows = list(rows)
    asked = [row for row in rows if "ok" in row]
    apart = Counter(str(row["where"]) for row in asked if row.get("where") in APART)
    refused = [row for row in asked if not row["ok"] and row.get("where") not in APART]
    return {
        "asked": len(asked),
        "accepted": sum(row["ok"] for row in asked),
        "checkpoints": len({row["model"] for row in asked}),
        "gpus": sorted({row["gpu"] for row in asked}),
        "apart": [{"where": where, "count": count, "why": APART[where]} for where, count in sorted(apart.items())],
        "not_asked": len(rows) - len(asked),
        "refused": [
            {"where": where, "model": model, "count": count}
            for (where, model), count in sorted(Counter((str(row.get("where")), row["model"]) for row in refused).items())
        ],
    }  # fmt: skip


def read_rows(name: str) -> list[Row]:
    """Read the rows of `<engine>-<version>`."""
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def read_counts() -> list[Row]:
    """Read the counts of every engine."""
    found: list[Row] = yaml.safe_load(COUNTS.read_text(encoding="utf-8"))
    return found


def _lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
