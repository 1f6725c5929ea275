"""Write a command as the recipe that renders back to it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

import yaml

from launchplan.catalog import Flag
from launchplan.engines import build_launch
from launchplan.engines.arguments import Arguments, Refusal
from launchplan.engines.build import BY_NAME
from launchplan.engines.reading import read_words
from launchplan.engines.views import view_of_flags
from launchplan.errors import InputError
from launchplan.finding import Location
from launchplan.layout import place
from launchplan.lint.command import NO_COMMAND, Command, find_command
from launchplan.lint.plan import Site
from launchplan.lint.recipe import Translation, recipe_of
from launchplan.recipe import load_recipe
from launchplan.resolve import engine_version, resolve
from launchplan.source import problem

SITE = {
    "master_addr": "address of the first node",
    "dist_init_addr": "address and port of the first node",
    "data_parallel_address": "address of the first node",
    "master_port": "ports.rendezvous",
    "data_parallel_rpc_port": "ports.data_parallel_rpc",
}
"""Flags whose values a cluster file holds, and what they are there."""
PLACES = frozenset({"node_rank", "headless", "data_parallel_start_rank"})
"""Flags that say which node it is; every node has its own in a bundle."""
_ORDER = (
    "launchplan", "name", "model", "checkpoint", "engine", "hardware", "parallel", "serve", "speculative",
    "args", "env", "evidence",
)  # fmt: skip
_SECTIONS = ("parallel", "serve", "speculative", "args")
_MODEL = frozenset({"model_tag", "model_path"})
_LAYOUT = frozenset({
    *_MODEL, "tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size", "enable_expert_parallel",
    "decode_context_parallel_size", "tp_size", "pp_size", "dp_size", "attn_dp_size", "enable_dp_attention",
    "ep_size", "dcp_size", "nnodes", "data_parallel_size_local", *PLACES, *SITE,
})  # fmt: skip
"""Flags that only the recipe's layout can say."""
_MOST_GPUS = 72
"""GPUs that a host may have."""
_MOST_NODES = 1024
_HOSTS = frozenset({"nnodes", "data_parallel_size_local"})
"""Flags that follow from the number of hosts."""


@dataclass(frozen=True, slots=True)
class RecipeDraft:
    """The recipe of a command."""

    recipe: Mapping[str, Any]
    notes: tuple[str, ...]
    """What the command says that is the site's, and what it leaves open."""
    unsaid: tuple[str, ...]
    """Flags that no recipe says in the same way; they are not in it."""
    text: str
    """The recipe as YAML, with the notes as comments."""


def recipe_of_command(command: str | Sequence[str], engine: str | None, site: Site) -> RecipeDraft:
    """Find the engine in a command line, and turn it into a recipe; `InputError` where there is none."""
    found = find_command(command, engine)
    if found is None:
        raise InputError((problem("REC001", NO_COMMAND, Location("<command>")),))
    return draft_recipe(found, site)


def draft_recipe(command: Command, site: Site) -> RecipeDraft:
    """Turn a command into a recipe.

    Every flag is said by the key that stands for it, or under `args`; rendering the recipe gives a command
    that the engine reads as the same. Raises `InputError` where the engine's parser refuses the command.
    """
    version = engine_version(command.engine, site.version)
    arguments = read_words(command.engine, version, command.words)
    if arguments is None or arguments.refusal is not None:
        raise InputError((_refused(arguments.refusal if arguments else None, command.engine, version),))
    recipe = _recipe(arguments, recipe_of(arguments), command, site, version)
    return _checked(recipe, arguments)


def _checked(recipe: dict[str, Any], arguments: Arguments) -> RecipeDraft:
    """Move what does not come back the same under `args`, then leave out what still does not."""
    apart = differing(arguments, rendered(recipe))
    if apart & _MODEL:  # the catalog knows the model by another name
        recipe["checkpoint"] = str(arguments["model_tag"] or arguments["model_path"])
        apart = differing(arguments, rendered(recipe))
    for moved in (apart, arguments.given.keys() - _LAYOUT):
        other = _said_raw(recipe, arguments, moved) if apart else recipe
        still = differing(arguments, rendered(other)) if apart else apart
        if len(still) < len(apart):
            recipe, apart = other, still
    for dest in apart:
        flag = arguments.facts.flag_of(dest)
        recipe.get("args", {}).pop(_key(flag) if flag else dest, None)
    recipe = {key: recipe[key] for key in _ORDER if recipe.get(key) not in (None, {})}
    unsaid = tuple(_spelled(arguments, dest) for dest in sorted(apart))
    notes = (*_open(recipe), *_of_site(arguments), *(f"not said: {flag}" for flag in unsaid))
    return RecipeDraft(recipe, notes, unsaid, _text(recipe, notes))


def rendered(recipe: Mapping[str, Any]) -> Arguments | None:
    """Read back the head's command line that a recipe renders to; None where it renders none.

    What this machine holds under the model's name plays no part: the command is that of other hosts.
    """
    try:
        resolved = resolve(load_recipe(dict(recipe)), elsewhere=True)
    except InputError:
        return None
    (pool,) = resolved.pools
    layout = place(resolved)
    flags = BY_NAME[resolved.deployment.engine].unplaced_flags(pool)
    if layout is not None:
        flags = build_launch(layout).processes[0].flags
    view = view_of_flags(pool, (resolved.deployment.checkpoint,), flags, {})
    return view.arguments if view is not None else None


def differing(wanted: Arguments, found: Arguments | None) -> set[str]:
    """List the flags, by the parser's name, that two command lines give different values."""
    if found is None:
        return set(wanted.given)
    names = {*wanted.given, *found.given} - PLACES - SITE.keys()
    return {name for name in names if repr(_folded(wanted, name)) != repr(_folded(found, name))}


def _folded(arguments: Arguments, name: str) -> Any:
    """Give a value; SGLang's two ways to split attention over data parallel ranks are one."""
    old = arguments["enable_dp_attention"] and arguments["dp_size"]
    if arguments.facts.engine == "sglang" and old:
        if name == "attn_dp_size":
            return arguments["dp_size"]
        if name in {"dp_size", "enable_dp_attention"}:
            default = arguments.facts.flag_of(name)
            return default.default if default else None
    return arguments[name]


def _said_raw(recipe: dict[str, Any], arguments: Arguments, apart: AbstractSet[str]) -> dict[str, Any]:
    """Say flags under `args` that their own keys say otherwise."""
    kept = replace(arguments, given={n: i for n, i in arguments.given.items() if n not in apart})
    sections = recipe_of(kept).sections
    raw = {
        _key(flag): _raw(flag, arguments[dest])
        for dest in arguments.given
        if dest in apart - _MODEL - _HOSTS
        and (flag := arguments.facts.flag_of(dest)) is not None
        and flag.names
    }
    said = {key: value for key, value in sections.items() if value} | {"args": sections["args"] | raw}
    return {key: value for key, value in recipe.items() if key not in _SECTIONS} | said


def _key(flag: Flag) -> str:
    return flag.name.lstrip("-")


def _raw(flag: Flag, value: Any) -> Any:
    """Write a value for `args`; what would be read as another one there is written as text."""
    if isinstance(value, list) and not flag.is_json:
        return [_raw(flag, each) for each in value]
    if flag.type in {"json", "json-object"} and not isinstance(value, dict):
        return json.dumps(value)
    if value is None:
        return "None"
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _recipe(
    arguments: Arguments, translation: Translation, command: Command, site: Site, version: str
) -> dict[str, Any]:
    model = str(arguments["model_tag"] or arguments["model_path"] or "model")
    is_place = _is_place(model)
    name = (model.rstrip("/").rpartition("/")[2] or "model") if is_place else model
    nodes = translation.nodes or site.nodes or 1
    nodes = nodes if 1 <= nodes <= _MOST_NODES else 1
    hardware = {
        "gpu": site.gpu or "unknown",
        "nodes": nodes,
        "gpus_per_node": site.gpus_per_node or _gpus(translation.sections["parallel"], nodes),
    }
    return {
        "launchplan": 1,
        "name": _slug(name, translation.sections["parallel"]),
        "model": name,
        **({"checkpoint": model} if is_place else {}),
        "engine": {"name": command.engine, "version": version},
        "hardware": {key: value for key, value in hardware.items() if value is not None},
        **{key: value for key, value in translation.sections.items() if value},
        **({"env": dict(command.env)} if command.env else {}),
        "evidence": {"status": "derived"},
    }


def _is_place(model: str) -> bool:
    """Tell whether a model is named as a folder or a variable rather than by its hub id."""
    return model.startswith(("/", ".", "~", "$")) or model.count("/") > 1


def _gpus(parallel: Mapping[str, int], nodes: int) -> int | None:
    """Count the GPUs of a node, where the ranks fill all nodes alike."""
    ranks = parallel.get("tp", 1) * parallel.get("pp", 1) * parallel.get("dp", 1)
    return ranks // nodes if ranks % nodes == 0 and ranks // nodes <= _MOST_GPUS else None


def _slug(model: str, parallel: Mapping[str, int]) -> str:
    sizes = "".join(f"-{key}{parallel[key]}" for key in ("tp", "pp", "dp") if parallel.get(key, 1) > 1)
    plain = re.sub(r"[^a-z0-9.]+", "-", model.rpartition("/")[2].lower()).strip("-.")
    return f"{plain or 'command'}{sizes}"


def _open(recipe: Mapping[str, Any]) -> Iterator[str]:
    if recipe["hardware"]["gpu"] == "unknown":
        yield "the command does not say which GPU it runs on: `launchplan list gpus` names them"
    if _is_place(str(recipe.get("checkpoint", ""))):
        yield "the model is a place on that machine: write its hub id as `model`"


def _of_site(arguments: Arguments) -> Iterator[str]:
    for dest, what in SITE.items():
        if dest in arguments:
            yield f"for the cluster file: {what}: {arguments[dest]}"
    if arguments["node_rank"] or arguments["headless"]:
        yield "the command is that of a follower; the recipe is that of the whole deployment"


def _spelled(arguments: Arguments, dest: str) -> str:
    flag = arguments.facts.flag_of(dest)
    name = flag.name if flag else dest
    return f"{name} {arguments[dest]}" if dest in arguments else f"{name} is added"


def _text(recipe: Mapping[str, Any], notes: tuple[str, ...]) -> str:
    body: str = yaml.safe_dump(dict(recipe), sort_keys=False, allow_unicode=True, width=108)
    return "".join(f"# {' '.join(note.split())}\n" for note in notes) + body


def _refused(refusal: Refusal | None, engine: str, version: str) -> Any:
    why = refusal.message if refusal else "no flags of that version are known"
    return problem("REC001", f"{engine} {version} does not take this command: {why}", Location("<command>"))
