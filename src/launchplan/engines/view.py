"""One engine process as the engine itself sees it: arguments, environment, model, device.

Rules that an engine enforces on its own command line take a view; it is the same for a recipe, whose command
line we rendered, and for a command that somebody else wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from launchplan.architecture import Architecture
from launchplan.catalog import Gpu
from launchplan.engines.arguments import Arguments, Word, read_arguments
from launchplan.engines.launch import Flag as LaunchFlag
from launchplan.engines.launch import Value
from launchplan.engines.vllm.words import rewrite
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


def view_of_flags(
    pool: ResolvedPool, model: Value, flags: Sequence[LaunchFlag], env: Mapping[str, str]
) -> EngineView | None:
    """Read back the command line that a recipe's pool renders to; None for a version without known flags."""
    facts = pool.deployment.facts
    if facts is None:
        return None
    words, paths = _words(pool, model, flags)
    arguments = read_arguments(facts, rewrite(words) if facts.engine == "vllm" else words)
    by_name = {name: paths[index] for name, index in arguments.given.items() if index in paths}
    return EngineView(pool, arguments, env, by_name)


def _words(
    pool: ResolvedPool, model: Value, flags: Sequence[LaunchFlag]
) -> tuple[list[Word], dict[int, KeyPath]]:
    texts: list[tuple[str, KeyPath]] = [(_plain(model), ("model",))]
    if pool.deployment.engine == "sglang":
        texts.insert(0, ("--model-path", ("model",)))
    for flag in flags:
        texts.append((flag.name, flag.path))
        texts += ((_plain(value), flag.path) for value in flag.values)
    return [Word(text, index) for index, (text, _) in enumerate(texts)], {
        i: path for i, (_, path) in enumerate(texts)
    }


def _plain(value: Value) -> str:
    """Stand in for what only the site knows: the parser takes any word there."""
    return "".join(part if isinstance(part, str) else part.variable for part in value)
