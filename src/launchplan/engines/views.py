"""Make the view of one engine process: the table below is all that knows which engine resolves what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from launchplan import catalog
from launchplan.engines.arguments import Arguments, Word
from launchplan.engines.launch import Flag as LaunchFlag
from launchplan.engines.launch import Value
from launchplan.engines.reading import read_past_refusals
from launchplan.engines.sglang.view import sglang_view
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.view import vllm_view
from launchplan.finding import KeyPath
from launchplan.resolve import ResolvedPool

_BY_ENGINE: Mapping[str, Callable[[EngineView], EngineView]] = {"vllm": vllm_view, "sglang": sglang_view}

_KEPT = 512
"""Command lines that are kept: those of a search's shapes on the next GPU are the same."""


def make_view(
    pool: ResolvedPool,
    arguments: Arguments,
    env: Mapping[str, str],
    paths: Mapping[str, KeyPath],
    refused: KeyPath | None = None,
) -> EngineView:
    """Make an engine's own view of a process, with what it resolves by itself."""
    plain = EngineView(pool, arguments, env, paths, refused=refused)
    resolve = _BY_ENGINE.get(plain.engine)
    return plain if resolve is None else resolve(plain)


def view_of_flags(
    pool: ResolvedPool, model: Value, flags: Sequence[LaunchFlag], env: Mapping[str, str]
) -> EngineView | None:
    """Read back the command line that a recipe's pool renders to; None for a version without known flags."""
    texts, paths = _words(pool, model, flags)
    # Facts that are given for a while are no part of the key.
    read = _read if catalog.given() is None else _read.__wrapped__
    arguments = read(pool.deployment.engine, pool.deployment.version, texts)
    if arguments is None:
        return None
    by_name = {name: paths[index] for name, index in arguments.given.items() if index in paths}
    refused = paths.get(arguments.refusal.index or 0) if arguments.refusal is not None else None
    return make_view(pool, arguments, env, by_name, refused)


@lru_cache(maxsize=_KEPT)
def _read(engine: str, version: str, texts: tuple[str, ...]) -> Arguments | None:
    """Read a command line once: the layouts of a search on different GPUs have the same."""
    return read_past_refusals(engine, version, [Word(text, index) for index, text in enumerate(texts)])


def _words(
    pool: ResolvedPool, model: Value, flags: Sequence[LaunchFlag]
) -> tuple[tuple[str, ...], dict[int, KeyPath]]:
    texts: list[tuple[str, KeyPath]] = [(_plain(model), ("model",))]
    if pool.deployment.engine == "sglang":
        texts.insert(0, ("--model-path", ("model",)))
    for flag in flags:
        texts.append((flag.name, flag.path))
        texts += ((_plain(value), flag.path) for value in flag.values)
    return tuple(text for text, _ in texts), {i: path for i, (_, path) in enumerate(texts)}


def _plain(value: Value) -> str:
    """Stand in for what only the site knows: the parser takes any word there."""
    return "".join(part if isinstance(part, str) else part.variable for part in value)
