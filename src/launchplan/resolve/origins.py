"""Where the values came from that a recipe leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from launchplan import catalog
from launchplan.catalog import Fabric
from launchplan.finding import KeyPath, dotted
from launchplan.resolve.types import Resolved, ResolvedPool


@dataclass(frozen=True, slots=True)
class Origin:
    """Where one value came from."""

    key: str
    value: object
    origin: Literal["recipe", "cluster", "catalog", "engine", "derived"]
    note: str = ""


def origins(resolved: Resolved) -> tuple[Origin, ...]:
    """List the values that the recipe leaves out, and where each came from."""
    deployment = resolved.deployment
    recipe = deployment.recipe.value
    found: list[Origin] = []
    if recipe.engine.version is None:
        found.append(
            Origin("engine.version", deployment.version, "catalog", "newest release with known flags")
        )
    if deployment.facts is not None and deployment.facts.version != deployment.version:
        note = f"flags of {deployment.facts.version}: the newest known before {deployment.version}"
        found.append(Origin("engine.version", deployment.version, "recipe", note))
    if recipe.checkpoint is None:
        found.append(
            Origin(
                "checkpoint",
                deployment.checkpoint,
                "catalog" if deployment.model else "recipe",
                "the model's own",
            )
        )
    for pool in resolved.pools:
        found += _pool_origins(pool)
    return tuple(found)


def _pool_origins(pool: ResolvedPool) -> list[Origin]:
    data = pool.deployment.recipe.document.data

    def key(*parts: str) -> str:
        return dotted(pool.path(*parts))

    name, note = (pool.gpu.id, pool.gpu.name) if pool.gpu else (pool.gpu_name, "not in the catalog")
    found = [Origin(key("hardware", "gpu"), name, "catalog" if pool.gpu else "recipe", note)]
    if not _stands(data, pool.path("hardware", "gpus_per_node"), ("hardware", "gpus_per_node")):
        found.append(
            Origin(key("hardware", "gpus_per_node"), pool.gpus_per_node, "catalog", "usual for this GPU")
        )
    if pool.fabric is not None and not _stands(data, pool.path("hardware", "fabric"), ("hardware", "fabric")):
        found.append(_fabric_origin(key("hardware", "fabric"), pool, pool.fabric))
    found.append(Origin(key("world"), pool.world, "derived", "GPUs of one instance: tp x pp x dp"))
    found += (
        Origin(key("parallel", size), getattr(pool.parallel, size), "derived", "default")
        for size in ("tp", "pp", "dp", "ep", "dcp")
        if not _stands(data, pool.path("parallel", size))
    )
    window = pool.architecture.derived_max_model_len if pool.architecture else None
    if pool.serve.max_model_len is None and window is not None:
        found.append(Origin(key("serve", "max_model_len"), window, "engine", "the model's window"))
    return found


def _fabric_origin(key: str, pool: ResolvedPool, fabric: Fabric) -> Origin:
    cluster = pool.deployment.cluster.value if pool.deployment.cluster is not None else None
    if cluster is not None and cluster.network.fabric is not None:
        return Origin(key, fabric.id, "cluster", "network.fabric")
    if cluster is not None and cluster.preset is not None and catalog.cluster_preset(cluster.preset):
        return Origin(key, fabric.id, "cluster", f"preset {cluster.preset}")
    return Origin(key, fabric.id, "catalog", fabric.name)


def _stands(data: Any, *paths: KeyPath) -> bool:
    for path in paths:
        value = data
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None:
            return True
    return False
