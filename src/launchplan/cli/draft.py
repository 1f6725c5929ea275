"""The text of a new recipe."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from launchplan.units import plural

_PLAIN = re.compile(r"(\.{0,2}/)?[A-Za-z_][A-Za-z0-9_./-]*")
_NO_STRINGS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_NAME_LIMIT = 63
_REASONS = {
    "max_num_seqs": "More requests at once would find no block for their recurrent state.",
    "trust_remote_code": "The engine refuses the model without its repository's code; read that code first.",
}
SCHEMA_FILE = "recipe.schema.json"


@dataclass(frozen=True, slots=True)
class Layout:
    """Parallel sizes."""

    tp: int = 1
    pp: int = 1
    dp: int = 1
    ep: int = 1
    dcp: int = 1

    @property
    def gpus(self) -> int:
        """GPUs that the layout takes."""
        return self.tp * self.pp * self.dp

    @property
    def written(self) -> dict[str, int]:
        """The sizes that a recipe has to name."""
        sizes = {"tp": self.tp, "pp": self.pp, "dp": self.dp, "ep": self.ep, "dcp": self.dcp}
        return {name: size for name, size in sizes.items() if size > 1 or name == "tp"}


@dataclass(frozen=True, slots=True)
class Draft:
    """Everything that a new recipe says."""

    name: str
    model: str
    checkpoint: str | None
    engine: str
    version: str
    gpu: str
    nodes: int
    gpus_per_node: int
    fabric: str | None
    layout: Layout
    max_model_len: int | None
    model_window: int | None
    """The model's own window in tokens, where it is known."""
    mtp_tokens: int | None
    features: tuple[str, ...]
    max_num_seqs: int | None = None
    trust_remote_code: bool = False
    """Whether the engine reads the model only with code of its repository."""
    asks_fabric: bool = False
    """Whether nobody knows what connects the hosts."""
    schema: str | None = None
    """Where the recipe's schema lies, from the recipe's folder; None where it lies nowhere yet."""

    def data(self) -> dict[str, Any]:
        """Give the recipe as data."""
        hardware = {
            "gpu": self.gpu,
            "nodes": self.nodes,
            "gpus_per_node": self.gpus_per_node,
            "fabric": self.fabric,
        }
        serve = {
            "max_model_len": self.max_model_len,
            "max_num_seqs": self.max_num_seqs,
            "trust_remote_code": self.trust_remote_code or None,
            "features": list(self.features) or None,
        }
        recipe: dict[str, Any] = {
            "launchplan": 1,
            "name": self.name,
            "model": self.model,
            "checkpoint": self.checkpoint,
            "engine": {"name": self.engine, "version": self.version},
            "hardware": _given(hardware),
            "parallel": self.layout.written,
            "serve": _given(serve) or None,
            "speculative": {"method": "mtp", "tokens": self.mtp_tokens} if self.mtp_tokens else None,
            "evidence": {"status": "derived"},
        }
        return _given(recipe)

    def text(self) -> str:
        """Write the recipe with comments that say what to decide next."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        data = self.data()
        if self.schema is not None:
            yield f"# yaml-language-server: $schema={self.schema}"
        else:
            yield f"# For completion in editors: launchplan schema recipe > {SCHEMA_FILE}, and on top"
            yield f"# `yaml-language-server: $schema={SCHEMA_FILE}` behind a `#`."
        for key in ("launchplan", "name", "model", "checkpoint", "engine"):
            if key in data:
                yield f"{key}: {_flow(data[key])}"
        if self.asks_fabric:
            yield "# Name what connects the hosts, such as `fabric: infiniband`: `launchplan list fabrics`."
        yield f"hardware: {_flow(data['hardware'])}"
        sizes = f"tp {self.layout.tp} x pp {self.layout.pp} x dp {self.layout.dp}"
        yield f"# {plural(self.layout.gpus, 'GPU')} = {sizes}"
        yield f"parallel: {_flow(data['parallel'])}"
        yield from self._serve_lines(data.get("serve", {}))
        if "speculative" in data:
            yield f"speculative: {_flow(data['speculative'])}"
        yield "# What clients will ask for, for instance:"
        yield "# workload: {concurrency: 50, context_tokens: 20000}"
        yield "# Any other engine flag goes under `args:`, environment under `env:`; secrets in neither."
        yield "# `verified` once it ran, with the source, the day and the figures."
        yield f"evidence: {_flow(data['evidence'])}"

    def _serve_lines(self, serve: Mapping[str, Any]) -> Iterator[str]:
        if not serve:
            yield "# The longest request, prompt and output, in tokens; left out: the model's own window."
            yield "# serve: {max_model_len: 32768}"
            return
        yield "serve:"
        if self.max_model_len is None:
            yield "  # The longest request, prompt and output, in tokens; left out: the model's own window."
            yield "  # max_model_len: 32768"
        elif self.model_window is not None and self.max_model_len < self.model_window:
            yield f"  # The model's window is {self.model_window}; take what your longest request needs."
        for key, value in serve.items():
            if key in _REASONS:
                yield f"  # {_REASONS[key]}"
            yield f"  {key}: {_flow(value)}"


def draft_name(model: str, nodes: int, gpus_per_node: int, gpu: str) -> str:
    """Name a deployment after its model and machines: `qwen3.8-2.4t-a95b-fp8-2x8-b300`."""
    machines = f"{nodes}x{gpus_per_node}-{gpu}"
    stem = model.rstrip("/").removesuffix("/config.json").rpartition("/")[2].removesuffix(".json")
    name = _slug(stem)[: _NAME_LIMIT - len(machines) - 1].strip("-._")
    return f"{name}-{_slug(machines)}" if name else _slug(machines)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _flow(value: object) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(_flow(item) for item in value) + "]"
        case str() if _PLAIN.fullmatch(value) and value.lower() not in _NO_STRINGS:
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)
