"""The recipe's references looked up: a deployment, and the pools that it consists of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from launchplan.architecture import Architecture
from launchplan.catalog import Checkpoint, EngineFacts, Fabric, Gpu, ModelEntry
from launchplan.finding import KeyPath
from launchplan.recipe import Cluster, Loaded, Recipe
from launchplan.recipe.cluster import Node
from launchplan.recipe.overrides import overridden
from launchplan.recipe.schema import EngineName, Evidence, Offload, Parallel, Serve, Speculative
from launchplan.resolve.model import ModelSource

Role = Literal["serve", "prefill", "decode"]
ENGINES: tuple[str, ...] = ("vllm", "sglang")
EVIDENCED_KEYS = frozenset(
    {
        "model",
        "checkpoint",
        "engine",
        "hardware",
        "parallel",
        "serve",
        "speculative",
        "pools",
        "offload",
        "args",
        "env",
    }
)
"""Keys of a recipe that its evidence speaks of."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """What holds for every pool: engine, model, checkpoint, cluster."""

    recipe: Loaded[Recipe] = field(repr=False)
    cluster: Loaded[Cluster] | None = field(repr=False)
    engine: EngineName
    version: str
    facts: EngineFacts | None = field(repr=False)
    """Flags of this engine version, or of the newest known one before it."""
    model_source: ModelSource = field(repr=False)
    checkpoint: str
    """What the engine is told to load: a hub id or a path."""

    @property
    def model(self) -> ModelEntry | None:
        """The catalog's entry of the model."""
        return self.model_source.entry

    @property
    def architecture(self) -> Architecture | None:
        """The model's architecture, None when nobody says what it is."""
        return self.model_source.architecture

    @property
    def checkpoint_facts(self) -> Checkpoint | None:
        """The catalog's facts of the checkpoint."""
        return self.model_source.checkpoint

    @property
    def evidence(self) -> Evidence | None:
        """Why this layout is believed to work; what `--set` made of a published one nobody has run."""
        written = self.recipe.value.evidence
        changed = overridden(self.recipe.document)
        if written is None or "evidence" in changed or not changed & EVIDENCED_KEYS:
            return written
        keys = ", ".join(sorted(changed & EVIDENCED_KEYS))
        return Evidence(
            status="derived",
            source=written.source,
            checked=written.checked,
            note=f"{keys} changed by --set; what the source says holds for the recipe without it",
        )

    @property
    def engine_label(self) -> str:
        """Engine and version as reports print them: `vllm 0.33.0`."""
        return f"{self.engine} {self.version}"

    @property
    def hosts(self) -> tuple[Node, ...]:
        """The cluster file's hosts in rank order; empty when it has only a count or there is none."""
        nodes = self.cluster.value.nodes if self.cluster else None
        return tuple(nodes) if isinstance(nodes, list) else ()


@dataclass(frozen=True, slots=True)
class ResolvedPool:
    """One kind of engine instance with everything that its layout, flags and rules need."""

    deployment: Deployment = field(repr=False)
    role: Role
    prefix: KeyPath
    """Where the pool's keys stand in the recipe: `()` or `("pools", "prefill")`."""
    replicas: int
    gpu_name: str
    gpu: Gpu | None
    nodes: int
    gpus_per_node: int | None
    fabric: Fabric | None
    parallel: Parallel
    serve: Serve
    architecture: Architecture | None
    """The model's architecture as the checkpoint has it and `serve.hf_overrides` change it."""
    speculative: Speculative | None
    args: Mapping[str, JsonValue]
    """Raw flags for this engine, without dashes in front."""
    arg_paths: Mapping[str, KeyPath]
    """Where each raw flag stands in the recipe."""
    env: Mapping[str, str]
    offload: Offload | None = None
    """KV offload: the pool's own, else the recipe's."""
    offload_path: KeyPath = ()
    """Where it stands in the recipe."""
    draft: Architecture | None = None
    """The draft model of speculative decoding, where it is known."""

    def path(self, *keys: str | int) -> KeyPath:
        """Give the recipe's key path of one of the pool's keys."""
        return (*self.prefix, *keys)

    @property
    def world(self) -> int:
        """GPUs that one instance of the layout takes: tp x pp x dp."""
        return self.parallel.tp * self.parallel.pp * self.parallel.dp

    @property
    def replica(self) -> int:
        """GPUs that one data parallel rank takes: tp x pp."""
        return self.parallel.tp * self.parallel.pp

    @property
    def gpus(self) -> int | None:
        """GPUs that one instance has: nodes x GPUs per node."""
        return None if self.gpus_per_node is None else self.nodes * self.gpus_per_node


@dataclass(frozen=True, slots=True)
class Resolved:
    """A deployment and its pools: one that serves, or prefill and decode."""

    deployment: Deployment
    pools: tuple[ResolvedPool, ...]
