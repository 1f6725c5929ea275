"""The model that speculative decoding drafts with: the catalog's of its name, or a folder that is at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from launchplan import catalog
from launchplan.resolve.model import hub_id, local_config, model_of_config

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.recipe import Loaded, Recipe
    from launchplan.resolve.types import ResolvedPool

# Flags that name a draft model, by their key under `args`.
_FLAGS = ("speculative-config.model", "spec-model", "speculative-draft-model-path")


def find_draft(pool: ResolvedPool, recipe: Loaded[Recipe]) -> Architecture | None:
    """Find a pool's draft model; None where there is none, and where nobody here knows it.

    A folder that does not exist here may exist on the hosts: it is no error. Raises `InputError` for a
    `config.json` that can't be read.
    """
    name = _named(pool)
    if name is None:
        return None
    file = local_config(name, recipe.folder)
    if file is not None:
        return model_of_config(name, file).architecture
    entry = catalog.model(hub_id(name))
    return entry.architecture(hub_id(name) if entry.checkpoint(hub_id(name)) else None) if entry else None


def _named(pool: ResolvedPool) -> str | None:
    """Give the draft model's name as the recipe or its raw flags have it."""
    given: Any = pool.speculative.model if pool.speculative else None
    config = pool.args.get("speculative-config")
    named = (given, config.get("model") if isinstance(config, Mapping) else None, *map(pool.args.get, _FLAGS))
    return next((name for name in named if isinstance(name, str) and name), None)
