"""The search as a caller asks for it; every name is looked up, every wrong one is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from launchplan import catalog
from launchplan.errors import InputError
from launchplan.finding import Location
from launchplan.fit.answer import Fits, Spread, Wish, answer
from launchplan.fit.search import Progress
from launchplan.fit.space import Limits
from launchplan.fit.workload import WorkloadSource, read_workload
from launchplan.recipe import load_recipe
from launchplan.resolve import ENGINES, resolve
from launchplan.resolve.model import ModelSource
from launchplan.source import Document, problem, read_document

MOST_GPUS = 4096
Prices = str | Path | Mapping[str, float]


def fit(  # noqa: PLR0913 # each says something else about the search
    model: str,
    *,
    gpu: str | Sequence[str] | None = None,
    checkpoint: str | None = None,
    engine: str | None = None,
    version: str | None = None,
    workload: WorkloadSource | None = None,
    max_gpus: int | None = None,
    gpus_per_node: int | None = None,
    fabric: str | None = None,
    prices: Prices | None = None,
    derived: bool = False,
    progress: Progress | None = None,
    spread: Spread | None = None,
) -> Fits:
    """Search the layouts of a model: published ones first, each with the fewest GPUs first.

    `model` is a catalog id, a checkpoint's id, or the path of a `config.json`; `gpu` one id or several;
    `workload` is written as `50x100k`, as a mapping with the keys of a recipe's `workload`, or as a file's
    path. Without `derived` only GPUs are searched on which somebody is known to have run the model.
    `progress` is told how far the search is; `spread` may run its parts at the same time. Raises
    `InputError` for a name that does not exist.
    """
    name = engine or ENGINES[0]
    if name not in ENGINES:
        raise _wrong("--engine", f"'{name}' is no engine", f"there are {' and '.join(ENGINES)}")
    source = _model(model, checkpoint, name, version)
    wish = Wish(
        source, name, version or catalog.versions(name)[-1],
        gpus=tuple(dict.fromkeys(_gpu(each) for each in ([gpu] if isinstance(gpu, str) else gpu or ()))),
        checkpoint=_checkpoint(source, checkpoint or _named(source, model)),
        workload=read_workload(workload),
        limits=Limits(_count("--max-gpus", 128 if max_gpus is None else max_gpus), gpus_per_node),
        fabric=_fabric(fabric), derived=derived, prices=read_prices(prices),
    )  # fmt: skip
    return answer(wish, progress or _quiet, spread)


def _quiet(_text: str) -> None:
    """Tell nobody."""


def _model(name: str, checkpoint: str | None, engine: str, version: str | None) -> ModelSource:
    asked = {"launchplan": 1, "name": "fit", "model": name, "hardware": {"gpu": "h100-sxm"},
             "engine": {"name": engine, **({"version": version} if version else {})},
             **({"checkpoint": checkpoint} if checkpoint else {})}  # fmt: skip
    source = resolve(load_recipe(asked)).deployment.model_source
    if source.architecture is None:
        near = catalog.nearest_model(name)
        cure = f"did you mean {near}?" if near else "see `launchplan list models`, or name a config.json"
        raise _wrong("MODEL", f"'{name}' is no model of the catalog and no config.json", cure)
    return source


def _checkpoint(source: ModelSource, name: str | None) -> str | None:
    if name is None or source.entry is None:
        return None
    found = source.entry.checkpoint(name)
    if found is None:
        ids = ", ".join(each.id for each in source.entry.checkpoints)
        raise _wrong("--checkpoint", f"{source.entry.id} has no checkpoint '{name}'", f"it has {ids}")
    return found.id


def _named(source: ModelSource, name: str) -> str | None:
    """Keep the checkpoint when it was named where a model was asked for."""
    entry = source.entry
    own = entry is None or name.casefold() in {each.casefold() for each in (entry.id, *entry.aliases)}
    return None if own else name


def _gpu(name: str) -> str:
    found = catalog.gpu(name)
    if found is None:
        near = catalog.nearest_gpu(name)
        cure = f"did you mean {near}?" if near else "see `launchplan list gpus`"
        raise _wrong("--gpu", f"'{name}' is no GPU of the catalog", cure)
    return found.id


def _fabric(name: str | None) -> str | None:
    found = catalog.fabric(name) if name else None
    if name and found is None:
        near = catalog.nearest_fabric(name)
        cure = f"did you mean {near}?" if near else "see `launchplan list fabrics`"
        raise _wrong("--fabric", f"'{name}' is no fabric of the catalog", cure)
    return found.id if found else None


def _count(option: str, value: int) -> int:
    if not 1 <= value <= MOST_GPUS:
        raise _wrong(option, f"{value} GPUs are out of range", f"from 1 to {MOST_GPUS}")
    return value


def read_prices(source: Prices | None) -> dict[str, float]:
    """Read the price of one GPU for an hour by GPU: a mapping, or the YAML file that holds it."""
    if source is None:
        return {}
    given = isinstance(source, Mapping)
    document = (
        Document(dict(source), "<prices>") if isinstance(source, Mapping) else read_document(Path(source))
    )
    data: Any = document.data
    if not isinstance(data, dict) or not data:
        fix = "write for instance: {h200: 3.50, b300: 6}"
        message = "the file does not map GPUs to prices"
        raise InputError((problem("REC006", message, Location(document.file), fix=fix),))
    found: dict[str, float] = {}
    for name, price in data.items():
        gpu = catalog.gpu(str(name))
        place = document.locate((name,)) if not given else Location(document.file)
        if gpu is None:
            near = catalog.nearest_gpu(str(name))
            fix = f"did you mean {near}?" if near else "see `launchplan list gpus`"
            raise InputError((problem("REC008", f"'{name}' is no GPU of the catalog", place, (), fix),))
        if not isinstance(price, int | float) or isinstance(price, bool) or not 0 <= price < 1e9:
            message = f"'{price}' is no price of a {gpu.id} for an hour"
            raise InputError(
                (problem("REC006", message, place, (), "write a number from 0 on, below a billion"),)
            )
        found[gpu.id] = float(price)
    return found


def _wrong(option: str, message: str, fix: str) -> InputError:
    return InputError((problem("REC008", message, Location(option), fix=fix),))
