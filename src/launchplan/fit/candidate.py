"""One layout that may serve a model, and the recipe that says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from launchplan.catalog import Gpu, ModelEntry
from launchplan.catalog.models import Speculative
from launchplan.fit.workload import workload_data
from launchplan.recipe import Loaded, Recipe, load_recipe
from launchplan.recipe.schema import Hardware, Parallel, Workload
from launchplan.source import Document


@dataclass(frozen=True, slots=True)
class Question:
    """What holds for every layout of a search: the model, what loads it, and what it is to serve."""

    model: str
    checkpoint: str | None
    engine: str
    version: str
    window: int | None
    """Tokens of the longest request; None leaves the model's own window."""
    workload: Workload
    entry: ModelEntry | None = field(default=None, repr=False)
    window_fixed: bool = False
    """Whether somebody asked for this window, so that no shorter one will do."""
    fabric: str | None = None
    """What connects the hosts; None where nobody says."""
    features: tuple[str, ...] = ()
    """Features whose parsers the recipe switches on."""
    max_num_seqs: int | None = None
    """Requests that run at once; None leaves them to the engine."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A GPU, a number of hosts and the parallel sizes on them."""

    gpu: Gpu = field(repr=False)
    nodes: int
    gpus_per_node: int
    tp: int
    pp: int = 1
    dp: int = 1
    ep: int = 1
    dcp: int = 1
    kv: str | None = None
    """Format of the KV cache; None leaves it to the engine."""
    speculative: Speculative | None = None

    @property
    def gpus(self) -> int:
        """GPUs that the layout takes."""
        return self.tp * self.pp * self.dp

    @property
    def key(self) -> tuple[object, ...]:
        """What tells the layout from every other of its search."""
        draft = self.speculative.method if self.speculative else None
        return (self.gpu.id, self.nodes, self.tp, self.pp, self.dp, self.ep, self.dcp, self.kv, draft)

    @property
    def sizes(self) -> dict[str, int]:
        """The parallel sizes by their key in a recipe."""
        return {"tp": self.tp, "pp": self.pp, "dp": self.dp, "ep": self.ep, "dcp": self.dcp}

    @property
    def machines(self) -> str:
        """The machines as people write them: `8xb300`, `2x8xb300`."""
        return machines_text(self.nodes, self.gpus_per_node, self.gpu.id)

    @property
    def layout(self) -> str:
        """The sizes as people write them: `tp 4 x pp 3`."""
        written = [f"{name} {size}" for name, size in self.sizes.items() if size > 1 and name != "dcp"]
        text = " x ".join(each for each in written if not each.startswith("ep")) or "tp 1"
        text += "".join(f", {each}" for each in written if each.startswith("ep"))
        return text + (f", dcp {self.dcp}" if self.dcp > 1 else "")


def machines_text(nodes: int, gpus_per_node: int, gpu: str) -> str:
    """Write machines as people do: `8xb300`, `2x8xb300`."""
    return f"{nodes}x{gpus_per_node}x{gpu}" if nodes > 1 else f"{gpus_per_node}x{gpu}"


def recipe_data(question: Question, candidate: Candidate, name: str = "fit") -> dict[str, Any]:
    """Write a layout as the data of a recipe; what is left out is not in it."""
    recipe: dict[str, Any] = {
        "launchplan": 1,
        "name": name,
        "model": question.entry.id if question.entry else question.model,
        "checkpoint": question.checkpoint,
        "engine": {"name": question.engine, "version": question.version},
        "hardware": _hardware(question, candidate),
        "parallel": _parallel(candidate),
        "serve": _serve(question, candidate) or None,
        "speculative": _speculative(candidate.speculative),
        "workload": workload_data(question.workload) or None,
        "evidence": {"status": "derived"},
    }
    return _given(recipe)


_LOADED: dict[str, Recipe] = {}
"""Recipes that were loaded, by everything but machines and sizes: of those a search has few."""
_MOST_LOADED = 1024


def recipe_of(question: Question, candidate: Candidate) -> Loaded[Recipe]:
    """Load a layout's recipe as `load_recipe` does; of one like another only what differs is validated."""
    data = recipe_data(question, candidate)
    rest = repr({**data, "hardware": None, "parallel": None})
    alike = _LOADED.get(rest)
    if alike is None:
        if len(_LOADED) >= _MOST_LOADED:
            _LOADED.clear()
        loaded = load_recipe(data)
        _LOADED[rest] = loaded.value
        return loaded
    machines, sizes = Hardware.model_validate(data["hardware"]), Parallel.model_validate(data["parallel"])
    recipe = alike.model_copy(update={"hardware": machines, "parallel": sizes})
    return Loaded(recipe, Document(data, "<mapping>"))


def _hardware(question: Question, candidate: Candidate) -> dict[str, Any]:
    hardware = {
        "gpu": candidate.gpu.id,
        "nodes": candidate.nodes,
        "gpus_per_node": candidate.gpus_per_node,
        "fabric": question.fabric if candidate.nodes > 1 else None,
    }
    return _given(hardware)


def _parallel(candidate: Candidate) -> dict[str, int]:
    return {key: size for key, size in candidate.sizes.items() if size > 1 or key == "tp"}


def _serve(question: Question, candidate: Candidate) -> dict[str, Any]:
    trusted = question.entry is not None and question.engine in question.entry.trust_remote_code
    serve = {
        "max_model_len": question.window,
        "max_num_seqs": question.max_num_seqs,
        "kv_cache_dtype": candidate.kv,
        "trust_remote_code": True if trusted else None,
        "features": list(question.features) or None,
    }
    return _given(serve)


def _speculative(wanted: Speculative | None) -> dict[str, Any] | None:
    if wanted is None or wanted.method is None:
        return None
    written = {
        "method": wanted.method,
        "tokens": wanted.tokens,
        "model": wanted.model,
        "options": dict(wanted.options) or None,
    }
    return _given(written)


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
