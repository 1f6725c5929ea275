"""Every environment variable that recipe and cluster file set, with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
