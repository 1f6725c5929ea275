"""Every environment variable, and every text, of recipe and cluster file with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from launchplan.finding import KeyPath
from launchplan.resolve import Resolved


def variables(resolved: Resolved) -> Iterator[tuple[str, str, KeyPath]]:
    """List name, value and place of each variable, the recipe's first."""
    deployment = resolved.deployment
    recipe = deployment.recipe.value
    yield from _section(recipe.env, ("env",))
    if recipe.pools is not None:
        yield from _section(recipe.pools.prefill.env, ("pools", "prefill", "env"))
        yield from _section(recipe.pools.decode.env, ("pools", "decode", "env"))
    if recipe.router is not None:
        yield from _section(recipe.router.env, ("router", "env"))
    if deployment.cluster is not None:
        yield from _section(deployment.cluster.value.env, ("cluster", "env"))
    for index, host in enumerate(deployment.hosts):
        yield from _section(host.env, ("cluster", "nodes", index, "env"))


def _section(env: Mapping[str, str], path: KeyPath) -> Iterator[tuple[str, str, KeyPath]]:
    for name, value in env.items():
        yield name, value, (*path, name)


def texts_below(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """List every text in a document's data below a path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, held in value.items():
            yield from texts_below(held, (*path, key))
    elif isinstance(value, list):
        for index, held in enumerate(value):
            yield from texts_below(held, (*path, index))
