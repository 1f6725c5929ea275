"""Recipes of the layouts that were found; what is published has one already."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from launchplan.fit.answer import Fits, Offer
from launchplan.fit.candidate import recipe_data

_NAME_LIMIT = 63
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_NO_STRINGS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def recipe_files(fits: Fits, offers: Iterable[Offer], model: str | None = None) -> dict[str, str]:
    """Write each derived layout as a recipe, by the name of its file.

    `model` is how the recipes' folder reaches a model that is a path.
    """
    found: dict[str, str] = {}
    for offer in offers:
        if offer.evidence == "derived":
            name = _free(_name(fits, offer), found)
            found[f"{name}.yaml"] = recipe_text(offer, name, model)
    return found


def _free(name: str, taken: Mapping[str, str]) -> str:
    number, free = 1, name
    while f"{free}.yaml" in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def _name(fits: Fits, offer: Offer) -> str:
    at = offer.candidate
    model = offer.judged.question.checkpoint or fits.question.model
    sizes = "".join(f"-{key}{size}" for key, size in at.sizes.items() if size > 1)
    machines = f"{at.nodes}x{at.gpus_per_node}-{at.gpu.id}{sizes}"
    machines += f"-{at.kv}" if at.kv else ""
    machines += f"-{at.speculative.method}" if at.speculative else ""
    last = model.rstrip("/").removesuffix("/config.json").rpartition("/")[2].removesuffix(".json")
    stem = _slug(last) or "model"
    return _slug(f"{stem[: max(1, _NAME_LIMIT - len(machines) - 4)].strip('-._')}-{machines}")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")


def recipe_text(offer: Offer, name: str, model: str | None = None) -> str:
    """Write one layout as the text of a recipe."""
    judged = offer.judged
    data = recipe_data(judged.question, judged.candidate, name)
    at, count = judged.candidate, judged.requests
    data["model"] = model or data["model"]
    data["summary"] = f"{at.machines}, {at.layout}: found by `launchplan fit`, run by nobody yet"
    note = (
        f"computed: {count.value:,.0f} requests of {judged.request_tokens:,} tokens at once"
        f" ({count.low:,.0f} to {count.high:,.0f})"
    )
    data["evidence"] = {"status": "derived", "note": note}
    keys = ("launchplan", "name", "summary", "model", "checkpoint", "engine", "hardware", "parallel",
            "serve", "speculative", "workload", "evidence")  # fmt: skip
    return "".join(f"{key}: {_flow(data[key])}\n" for key in keys if key in data)


def _flow(value: Any) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{_flow(key)}: {_flow(item)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(_flow(item) for item in value) + "]"
        case str() if _PLAIN.fullmatch(value) and value.lower() not in _NO_STRINGS:
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)
