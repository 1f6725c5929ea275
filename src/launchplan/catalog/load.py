"""Read fact files, and look facts up by id, alias or engine version."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path
from typing import Generic, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from launchplan.catalog.base import Named
from launchplan.catalog.clusters import ClusterPreset
from launchplan.catalog.engines import EngineFacts
from launchplan.catalog.fabrics import Fabric
from launchplan.catalog.gpus import Gpu
from launchplan.catalog.version import version_key
from launchplan.errors import CatalogError, system_reason

DATA = Path(__file__).parent / "data"
YAML_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # with libyaml it takes an eighth of the time
NEAR_CUTOFF = 0.6
NEAR_GPU_CUTOFF = 0.85
"""Names of GPUs are short: with less in common they are two GPUs."""

ModelT = TypeVar("ModelT", bound=BaseModel)
NamedT = TypeVar("NamedT", bound=Named)


def read_fact(model_class: type[ModelT], path: Path) -> ModelT:
    """Read one fact file into its model.

    Raises CatalogError, which names the file, when it cannot be read or is not what its model says.
    """
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=YAML_LOADER)  # noqa: S506 - a safe loader
        # Through JSON: strict mode then takes a list for a tuple, and still no "8" for a number.
        return model_class.model_validate_json(json.dumps(data))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise CatalogError(f"fact file {path}: {where}: {first['msg']}") from error
    except OSError as error:
        raise CatalogError(f"cannot read fact file {path}: {system_reason(error)}") from error
    except (UnicodeDecodeError, yaml.YAMLError, TypeError) as error:
        raise CatalogError(f"fact file {path}: {error}") from error


def name_key(name: str) -> str:
    """Fold a name for look-up: case, and blank or underscore instead of a dash, do not count."""
    return name.strip().lower().replace(" ", "-").replace("_", "-")


class Shelf(Generic[NamedT]):
    """The facts of one kind: a directory that holds `<id>.yaml` for each."""

    def __init__(self, model_class: type[NamedT], directory: Path) -> None:
        """Take the model and the directory of its files; files are read when they are asked for."""
        self._model_class = model_class
        self._directory = directory
        self._facts: dict[Path, NamedT] = {}

    def all(self) -> tuple[NamedT, ...]:
        """Return every fact, in the order of the ids."""
        return tuple(self._fact(path) for path in self._paths.values())

    def get(self, name: str) -> NamedT | None:
        """Return the fact of this id or alias, or None; an id opens its own file only."""
        key = name_key(name)
        if key in self._paths:
            return self._fact(self._paths[key])
        return self._by_alias.get(key)

    def nearest(self, name: str, cutoff: float = NEAR_CUTOFF) -> str | None:
        """Return the id that was probably meant, judged by ids and aliases, or None."""
        ids = {key: fact.id for key, fact in self._by_alias.items()} | {
            name_key(f.id): f.id for f in self.all()
        }
        close = get_close_matches(name_key(name), ids, n=1, cutoff=cutoff)
        return ids[close[0]] if close else None

    @cached_property
    def _paths(self) -> dict[str, Path]:
        return {
            name_key(path.stem): path
            for path in sorted(self._directory.glob("*.yaml"), key=lambda path: path.stem)
        }

    @cached_property
    def _by_alias(self) -> dict[str, NamedT]:
        return {name_key(alias): fact for fact in self.all() for alias in fact.aliases}

    def _fact(self, path: Path) -> NamedT:
        if path not in self._facts:
            self._facts[path] = read_fact(self._model_class, path)
        return self._facts[path]


class EngineShelf:
    """The facts of engine releases: a directory that holds `<engine>-<version>.yaml` for each."""

    def __init__(self, directory: Path) -> None:
        """Take the directory of the files; files are read when they are asked for."""
        self._directory = directory
        self._facts: dict[Path, EngineFacts] = {}

    def versions(self, engine: str) -> tuple[str, ...]:
        """Return the versions of an engine that have facts, oldest first."""
        names = (
            path.stem.removeprefix(f"{engine}-") for path in self._directory.glob(f"{engine}-[0-9]*.yaml")
        )
        return tuple(sorted(names, key=version_key))

    def get(self, engine: str, version: str) -> EngineFacts | None:
        """Return the facts of exactly this release, or None."""
        return self._fact(engine, version) if version in self.versions(engine) else None

    def nearest(self, engine: str, version: str) -> EngineFacts | None:
        """Return the facts of the newest known release that is not newer than the asked one.

        A version without numbers (`nightly`, `latest`) stands for the newest. None when all are newer.
        """
        known = self.versions(engine)
        asked = version_key(version)
        fitting = [each for each in known if not asked or version_key(each) <= asked]
        return self._fact(engine, fitting[-1]) if fitting else None

    def _fact(self, engine: str, version: str) -> EngineFacts:
        path = self._directory / f"{engine}-{version}.yaml"
        if path not in self._facts:
            self._facts[path] = read_fact(EngineFacts, path)
        return self._facts[path]


def newest_not_above(directory: Path, engine: str, version: str) -> Path | None:
    """Find the file of the newest release that is not newer than the asked one.

    A version without numbers stands for the newest.
    """
    asked = version_key(version)
    known = {
        version_key(path.stem.removeprefix(f"{engine}-")): path
        for path in directory.glob(f"{engine}-[0-9]*.yaml")
    }
    fitting = [key for key in known if not asked or key <= asked]
    return known[max(fitting)] if fitting else None


_GPUS = Shelf(Gpu, DATA / "gpus")
_MAKERS = re.compile(r"^(?:(?:nvidia|amd|intel|google|huawei|instinct|tesla|geforce)-)+")
_FABRICS = Shelf(Fabric, DATA / "fabrics")
_CLUSTERS = Shelf(ClusterPreset, DATA / "clusters")
_ENGINES = EngineShelf(DATA / "engines")


@cache
def gpu(name: str) -> Gpu | None:
    """Return the GPU of this id or alias, or None."""
    return _GPUS.get(name)


def gpus() -> tuple[Gpu, ...]:
    """Return every GPU, in the order of the ids."""
    return _GPUS.all()


def nearest_gpu(name: str) -> str | None:
    """Return the GPU id that was probably meant, or None; its maker's name does not make it alike."""
    return _GPUS.nearest(_MAKERS.sub("", name_key(name)), NEAR_GPU_CUTOFF)


@cache
def fabric(name: str) -> Fabric | None:
    """Return the fabric of this id or alias, or None."""
    return _FABRICS.get(name)


def fabrics() -> tuple[Fabric, ...]:
    """Return every fabric, in the order of the ids."""
    return _FABRICS.all()


def nearest_fabric(name: str) -> str | None:
    """Return the fabric id that was probably meant, or None."""
    return _FABRICS.nearest(name)


@cache
def cluster_preset(name: str) -> ClusterPreset | None:
    """Return the cluster preset of this id or alias (the provider's instance name), or None."""
    return _CLUSTERS.get(name)


def cluster_presets() -> tuple[ClusterPreset, ...]:
    """Return every cluster preset, in the order of the ids."""
    return _CLUSTERS.all()


def nearest_cluster_preset(name: str) -> str | None:
    """Return the cluster preset id that was probably meant, or None."""
    return _CLUSTERS.nearest(name)


_GIVEN: ContextVar[EngineFacts | None] = ContextVar("given_facts", default=None)


@contextmanager
def given_facts(facts: EngineFacts) -> Iterator[None]:
    """Take facts that somebody recorded instead of the catalog's, for every plan made inside."""
    token = _GIVEN.set(facts)
    try:
        yield
    finally:
        _GIVEN.reset(token)


def given() -> EngineFacts | None:
    """Return the facts that stand instead of the catalog's, None where it speaks for itself."""
    return _GIVEN.get()


def read_engine_facts(path: Path) -> EngineFacts:
    """Read an engine's facts from somebody's own file; raises CatalogError when it is none."""
    return read_fact(EngineFacts, path)


def versions(engine: str) -> tuple[str, ...]:
    """Return the versions of an engine that have facts, oldest first."""
    own, known = _GIVEN.get(), _versions(engine)
    if own is None or own.engine != engine or own.version in known:
        return known
    return tuple(sorted((*known, own.version), key=_age))


def engine_facts(engine: str, version: str) -> EngineFacts | None:
    """Return the facts of exactly this engine release, or None."""
    own = _GIVEN.get()
    if own is not None and own.engine == engine and own.version == version:
        return own
    return _engine_facts(engine, version)


def nearest_facts(engine: str, version: str) -> EngineFacts | None:
    """Return the facts of the newest known release that is not newer than the asked one, or None."""
    own = _GIVEN.get()
    if own is not None and own.engine == engine and version_key(own.version) == version_key(version):
        return own
    return _nearest_facts(engine, version)


def _age(version: str) -> tuple[bool, tuple[int, ...]]:
    """Sort a version without numbers as the newest."""
    key = version_key(version)
    return not key, key


@cache
def _versions(engine: str) -> tuple[str, ...]:
    return _ENGINES.versions(engine)


@cache
def _engine_facts(engine: str, version: str) -> EngineFacts | None:
    return _ENGINES.get(engine, version)


@cache
def _nearest_facts(engine: str, version: str) -> EngineFacts | None:
    return _ENGINES.nearest(engine, version)
