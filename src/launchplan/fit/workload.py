"""What clients ask for, as people say it: `50x100k`, or a file with the keys of a recipe's `workload`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from launchplan.errors import InputError
from launchplan.finding import Location
from launchplan.recipe.problems import problems_of
from launchplan.recipe.schema import Workload
from launchplan.source import Document, problem, read_document
from launchplan.units import decimal

WorkloadSource = str | Path | Mapping[str, Any] | Workload
_SHORT = re.compile(r"\s*(\d+)\s*[x×]\s*(\d+(?:\.\d+)?)\s*([kKmM]?)\s*")  # noqa: RUF001 # people write it so
_FACTORS = {"": 1, "k": 1000, "m": 1_000_000}
_WINDOW_STEP = 4096
_LARGEST = 10**9


def read_workload(source: WorkloadSource | None) -> Workload:
    """Read a workload; raises `InputError` for what is none.

    `50x100k` are 50 requests at once of 100,000 tokens each; `k` counts thousands.
    """
    if source is None:
        return Workload()
    if isinstance(source, Workload):
        return source
    if isinstance(source, Mapping):
        return _validated(Document(dict(source), "<workload>"))
    short = _SHORT.fullmatch(str(source))
    if short is not None:
        return _short(str(source), *short.groups())
    path = Path(source)
    if not str(source).strip() or (not path.exists() and path.suffix not in {".yaml", ".yml", ".json"}):
        message = f"'{source}' is no workload"
        fix = "write 50x100k (requests at once x tokens each), or name a YAML file"
        raise InputError((problem("REC008", message, Location("--workload"), fix=fix),))
    return _validated(read_document(path))


def _short(text: str, count: str, number: str, unit: str) -> Workload:
    concurrency, tokens = decimal(count), round(float(number[:18]) * _FACTORS[unit.lower()])
    if concurrency is None or not 1 <= concurrency <= _LARGEST or not 1 <= tokens <= _LARGEST:
        asked = "too many" if concurrency is None else f"{concurrency:,}"
        message = f"'{text.strip()[:40]}' asks for {asked} requests of {tokens:,} tokens"
        fix = f"both count from 1 to {_LARGEST:,}"
        raise InputError((problem("REC008", message, Location("--workload"), fix=fix),))
    return Workload(concurrency=concurrency, context_tokens=tokens)


def _validated(document: Document) -> Workload:
    data = document.data
    if isinstance(data, dict) and set(data) == {"workload"}:
        data = data["workload"]  # the section of a recipe, with its key
        document = Document(data, document.file)
    if not isinstance(data, dict):
        message = "the file does not hold the mapping of a workload"
        fix = "write for instance: {concurrency: 50, context_tokens: 100000}"
        raise InputError((problem("REC006", message, Location(document.file), fix=fix),))
    try:
        return Workload.model_validate_json(json.dumps(data))
    except ValidationError as error:
        raise InputError(problems_of(error, document, Workload)) from error


def mean_tokens(workload: Workload) -> int | None:
    """Give the tokens that a request holds in the mean: as given, else prompt and output together."""
    if workload.context_tokens is not None:
        return workload.context_tokens
    if workload.prompt_tokens is None:
        return None
    return workload.prompt_tokens + (workload.output_tokens or 0)


def longest_tokens(workload: Workload) -> int | None:
    """Give the tokens of the longest request that the workload speaks of."""
    known = (workload.tail_context_tokens, mean_tokens(workload))
    return max((each for each in known if each is not None), default=None)


def window_for(workload: Workload, model_window: int | None) -> int | None:
    """Give the `max_model_len` that a workload needs, in steps of 4,096 tokens; None when it says nothing."""
    longest = longest_tokens(workload)
    if longest is None:
        return None
    window = -(-longest // _WINDOW_STEP) * _WINDOW_STEP
    return min(window, model_window) if model_window is not None and longest <= model_window else window


def filled(workload: Workload) -> Workload:
    """Give a workload its mean context where only prompt and output are said."""
    mean = mean_tokens(workload)
    if workload.context_tokens is not None or mean is None:
        return workload
    return workload.model_copy(update={"context_tokens": mean})


def workload_data(workload: Workload) -> dict[str, Any]:
    """Give a workload as a recipe writes it."""
    return workload.model_dump(exclude_none=True)
