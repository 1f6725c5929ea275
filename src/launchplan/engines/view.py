"""One engine process as the engine itself sees it: arguments, environment, model, device.

Rules that an engine enforces on its own command line take a view; it is the same for a recipe, whose command
line we rendered, and for a command that somebody else wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from launchplan.architecture import Architecture
from launchplan.catalog import Gpu
from launchplan.engines.arguments import Arguments
from launchplan.finding import KeyPath
from launchplan.resolve import ResolvedPool


@dataclass(frozen=True, slots=True)
class EngineView:
    """What one engine process is given."""

    pool: ResolvedPool
    arguments: Arguments
    """Every flag's value by the parser's name for it, defaults included."""
    env: Mapping[str, str]
    paths: Mapping[str, KeyPath]
    """Where each written flag stands in the recipe (or in the command, by the same keys)."""
    refused: KeyPath | None = field(default=None, kw_only=True)
    """Where the word stands that the parser refuses."""

    @property
    def engine(self) -> str:
        """`vllm` or `sglang`."""
        return self.pool.deployment.engine

    @property
    def architecture(self) -> Architecture | None:
        """The model, None when nobody says what it is."""
        return self.pool.architecture

    @property
    def gpu(self) -> Gpu | None:
        """The GPUs of the node, None when the catalog doesn't know them."""
        return self.pool.gpu

    @property
    def gpus_on_node(self) -> int | None:
        """How many GPUs the process can see."""
        return self.pool.gpus_per_node

    def path(self, name: str) -> KeyPath:
        """Give the key path of a flag, or of the section that it would stand in."""
        return self.paths.get(name, self.pool.path("args"))

    def env_on(self, name: str) -> bool:
        """Tell whether a boolean variable is set, as both engines read them."""
        return self.env.get(name, "").strip().lower() in {"1", "true", "yes", "y", "on", "t"}


@dataclass(frozen=True, slots=True)
class PoolViews:
    """The head process of every pool of a deployment, for what they must have in common."""

    views: tuple[EngineView, ...]
