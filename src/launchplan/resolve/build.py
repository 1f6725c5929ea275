"""Look up what a recipe refers to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from launchplan import catalog
from launchplan.architecture import Architecture
from launchplan.catalog import Fabric, Gpu
from launchplan.errors import InputError
from launchplan.finding import KeyPath
from launchplan.recipe import Cluster, Loaded, Recipe
from launchplan.recipe.schema import Pool, PoolHardware
from launchplan.resolve.draft import find_draft
from launchplan.resolve.model import find_model, model_of_config
from launchplan.resolve.types import ENGINES, Deployment, Resolved, ResolvedPool, Role
from launchplan.source import problem


def resolve(
    recipe: Loaded[Recipe],
    cluster: Loaded[Cluster] | None = None,
    model_config: str | Path | Mapping[str, Any] | None = None,
    draft_config: str | Path | Mapping[str, Any] | None = None,
    *,
    elsewhere: bool = False,
) -> Resolved:
    """Look up everything a recipe refers to; a `config.json` given as such comes before the catalog.

    `draft_config` is that of the model which speculative decoding drafts with; without it, the catalog's of
    that name counts, or the `config.json` of the folder that it is. A model that is `elsewhere` is one of
    other hosts: a file or folder of this machine that has its name is another thing.

    What the catalog doesn't know stays None and becomes a finding of the FAC rules; only a model path that
    can't be read raises `InputError`.
    """
    value = recipe.value
    if model_config is None:
        source = find_model(value.model, value.checkpoint, recipe, elsewhere=elsewhere)
    else:
        source = model_of_config(value.model, model_config)
    version = engine_version(value.engine.name, value.engine.version)
    facts = catalog.nearest_facts(value.engine.name, version)
    checkpoint = value.checkpoint or source.default_checkpoint
    deployment = Deployment(recipe, cluster, value.engine.name, version, facts, source, checkpoint)
    given = model_of_config("draft", draft_config).architecture if draft_config is not None else None
    pools = (_pool(deployment, *shape) for shape in _shapes(value))
    return Resolved(deployment, tuple(_with_draft(pool, given or find_draft(pool, recipe)) for pool in pools))


def _with_draft(pool: ResolvedPool, draft: Architecture | None) -> ResolvedPool:
    return replace(pool, draft=draft) if draft is not None else pool


def engine_version(engine: str, asked: str | None) -> str:
    """Give the version that a plan is for: that of the facts given, else the asked one, else the newest.

    Raises `InputError` when the facts given are another engine's.
    """
    own = catalog.given()
    if own is None:
        return asked or catalog.versions(engine)[-1]
    if own.engine != engine:
        message = f"the engine facts given are {own.engine} {own.version}'s, and this is for {engine}"
        raise InputError((problem("REC001", message, fix=f"record those of {engine}"),))
    return own.version


_NO_SHARE = PoolHardware()


def _shapes(recipe: Recipe) -> list[tuple[Role, KeyPath, Pool]]:
    if recipe.pools is None:
        # Its parts were validated with the recipe.
        pool = Pool.model_construct(
            replicas=1,
            hardware=_NO_SHARE,
            parallel=recipe.parallel,
            serve=recipe.serve,
            speculative=recipe.speculative,
            args={},
            env={},
        )
        return [("serve", (), pool)]
    return [
        ("prefill", ("pools", "prefill"), recipe.pools.prefill),
        ("decode", ("pools", "decode"), recipe.pools.decode),
    ]


def _pool(deployment: Deployment, role: Role, prefix: KeyPath, pool: Pool) -> ResolvedPool:
    recipe = deployment.recipe.value
    share = pool.hardware
    gpu_name = share.gpu or recipe.hardware.gpu
    gpu = catalog.gpu(gpu_name)
    # A pool on another GPU has other hosts: the recipe's count is not its.
    inherited = recipe.hardware.gpus_per_node if share.gpu in {None, recipe.hardware.gpu} else None
    args, arg_paths = _arguments(deployment.engine, recipe.args, ("args",))
    if prefix:
        own, own_paths = _arguments(deployment.engine, pool.args, (*prefix, "args"))
        args, arg_paths = args | own, arg_paths | own_paths
    return ResolvedPool(
        deployment=deployment,
        role=role,
        prefix=prefix,
        replicas=pool.replicas,
        gpu_name=gpu_name,
        gpu=gpu,
        nodes=share.nodes or recipe.hardware.nodes,
        gpus_per_node=share.gpus_per_node or inherited or (gpu.gpus_per_node if gpu else None),
        fabric=_fabric(deployment, share.fabric, gpu),
        parallel=pool.parallel,
        serve=pool.serve,
        architecture=deployment.model_source.with_overrides(pool.serve.hf_overrides),
        speculative=pool.speculative,
        args=args,
        arg_paths=arg_paths,
        env=recipe.env | pool.env,
        offload=pool.offload or recipe.offload,
        offload_path=(*prefix, "offload") if pool.offload else ("offload",),
    )


def fabric_name(deployment: Deployment, share: str | None = None) -> str | None:
    """Name the fabric as recipe or cluster do, the more specific one first."""
    network = deployment.cluster.value.network.fabric if deployment.cluster else None
    return share or deployment.recipe.value.hardware.fabric or network


def _fabric(deployment: Deployment, share: str | None, gpu: Gpu | None) -> Fabric | None:
    name = fabric_name(deployment, share)
    if name is not None:
        return catalog.fabric(name)
    rented = deployment.cluster.value.preset if deployment.cluster else None
    preset = catalog.cluster_preset(rented) if rented else None
    if preset is not None:
        return catalog.fabric(preset.fabric)
    # An NVL72 rack is one NVLink domain whatever else its hosts have.
    if gpu is not None and gpu.gpus_per_node and gpu.scale_up_domain_gpus > gpu.gpus_per_node:
        return catalog.fabric("mnnvl-nvl72")
    return None


def flag_key(name: str) -> str:
    """Bring a raw flag to the form of its key: no dashes in front, dashes inside."""
    stem, dot, rest = name.lstrip("-").partition(".")
    return stem.replace("_", "-") + dot + rest


def _arguments(
    engine: str, written: Mapping[str, Any], prefix: KeyPath
) -> tuple[dict[str, JsonValue], dict[str, KeyPath]]:
    """Merge the flags for any engine with those that stand under this engine's name."""
    args: dict[str, JsonValue] = {}
    paths: dict[str, KeyPath] = {}
    sections: list[tuple[Mapping[str, Any], KeyPath]] = [(written, prefix)]
    for name in ENGINES:
        section = written.get(name)
        if isinstance(section, Mapping) and name == engine:
            sections.append((section, (*prefix, name)))
    for section, path in sections:
        for name, value in section.items():
            if name in ENGINES and isinstance(value, Mapping):
                continue
            args[flag_key(name)] = value
            paths[flag_key(name)] = (*path, name)
    return args, paths
