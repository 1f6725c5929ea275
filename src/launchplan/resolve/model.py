"""What a recipe's `model:` means: a catalog entry, a folder, a `config.json`, or a hub id nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from launchplan import catalog
from launchplan.architecture import Architecture, Quantization, read_architecture
from launchplan.catalog import Checkpoint, ModelEntry
from launchplan.catalog.models import merged_config
from launchplan.errors import InputError
from launchplan.finding import Location
from launchplan.recipe import Loaded, Recipe
from launchplan.source import problem, read_json


@dataclass(frozen=True, slots=True)
class ModelSource:
    """The model as far as it is known."""

    name: str
    entry: ModelEntry | None = None
    checkpoint: Checkpoint | None = None
    architecture: Architecture | None = None
    config: Mapping[str, Any] | None = None
    """The parsed `config.json`, where the recipe names one."""
    quantization_config: Mapping[str, Any] | None = None
    """The parsed `hf_quant_config.json` beside it."""
    default_checkpoint: str = ""
    """What the engine loads when the recipe names no checkpoint."""

    def with_overrides(self, overrides: Mapping[str, Any] | None) -> Architecture | None:
        """Give the architecture that the engine sees once `--hf-overrides` have replaced values."""
        if not overrides:
            return self.architecture
        if self.entry is not None:
            changed = self.entry.architecture(self.checkpoint.id if self.checkpoint else None, overrides)
            return changed if self.checkpoint is not None else _of_unread_format(changed)
        if self.config is not None:
            return read_architecture(merged_config(self.config, overrides), self.quantization_config)
        return None


def find_model(name: str, checkpoint: str | None, recipe: Loaded[Recipe], *, elsewhere: bool) -> ModelSource:
    """Look a model up in the catalog, else read its configuration from disk, unless the model is elsewhere.

    Raises `InputError` for a path that does not exist or holds no model configuration.
    """
    entry = catalog.model(name)
    if entry is not None:
        facts = entry.checkpoint(checkpoint or name) or (entry.checkpoints[0] if checkpoint is None else None)
        default = facts.id if facts is not None else name
        architecture = entry.architecture(facts.id if facts else None)
        if facts is None:
            architecture = _of_unread_format(architecture)
        return ModelSource(name, entry, facts, architecture, default_checkpoint=default)
    path = recipe.folder / _expanded(name)
    if not elsewhere and (_exists(path) or _looks_like_path(name)):
        return _from_files(name, path, recipe)
    return ModelSource(name, default_checkpoint=name)


def _of_unread_format(architecture: Architecture) -> Architecture:
    """Keep a model's dimensions, but not how its weights are stored: nobody has read this checkpoint."""
    unread = Quantization(method=None, formats=())
    unknown = (*architecture.unknown, "quantization.method", "quantization.formats")
    return replace(architecture, quantization=unread, unknown=tuple(dict.fromkeys(unknown)))


def model_of_config(name: str, config: str | Path | Mapping[str, Any]) -> ModelSource:
    """Take a model as a Hugging Face `config.json` describes it: the file, its folder, or the parsed data."""
    if not isinstance(config, Mapping):
        path = Path(config)
        file = path / "config.json" if path.is_dir() else path
        return _read_config(name, str(file), _state(file), _state(_quantization_beside(file)))
    beside = None if "quantization_config" in config else _published_beside(name)
    return ModelSource(name, None, None, read_architecture(config, beside), config, beside, name)


def _state(file: Path) -> tuple[int, ...]:
    """Tell one state of a file from another, and from another file that a relative path leads to."""
    try:
        stat = file.stat()
    except OSError:  # what reads it says so
        return ()
    return stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=64)
def _read_config(name: str, path: str, *_states: tuple[int, ...]) -> ModelSource:
    """Read a configuration once for as long as its files stay as they are."""
    data = read_json(Path(path))
    if not isinstance(data, dict):
        message = "this is not the JSON object of a model configuration"
        raise InputError((problem("REC006", message, Location(path)),))
    beside = _quantization_beside(Path(path))
    quantization = read_json(beside) if beside.is_file() else None
    return ModelSource(name, None, None, read_architecture(data, quantization), data, quantization, name)


def _quantization_beside(config: Path) -> Path:
    """Name ModelOpt's file next to a configuration: `x_hf_quant_config.json` for `x_config.json`."""
    return config.with_name(config.name.removesuffix("config.json") + "hf_quant_config.json")


def hub_id(name: str) -> str:
    """Give the repository of a folder named as in the hub's cache (`models--org--name`), else the name."""
    return name if "/" in name else name.removeprefix("models--").replace("--", "/", 1)


def _published_beside(name: str) -> Mapping[str, Any] | None:
    """Give what the catalog knows of a repository's `hf_quant_config.json`, which parsed data can't hold."""
    entry = catalog.model(hub_id(name))
    checkpoint = entry.checkpoint(hub_id(name)) if entry is not None else None
    return checkpoint.settings_beside if checkpoint is not None else None


def _expanded(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:  # `~someone` who is no user here
        return Path(name)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _is_file(path: Path) -> bool:
    return _exists(path) and path.is_file()


def local_config(name: str, folder: Path) -> Path | None:
    """Give the `config.json` that a model's name leads to from a folder; None where there is none here."""
    path = folder / _expanded(name)
    file = path / "config.json" if _exists(path) and path.is_dir() else path
    return file if _is_file(file) and file.suffix == ".json" else None


def _looks_like_path(name: str) -> bool:
    return name.startswith((".", "/", "~")) or name.endswith(".json") or name.count("/") > 1


def _from_files(name: str, path: Path, recipe: Loaded[Recipe]) -> ModelSource:
    place = recipe.document.locate(("model",))
    file = path / "config.json" if _exists(path) and path.is_dir() else path
    if not _is_file(file):
        message = f"model is '{name}', where there is no config.json"
        fix = "name a folder with a config.json, the file itself, or a model of `launchplan list models`"
        raise InputError((problem("REC001", message, place, ("model",), fix),))
    config = _mapping(file, recipe)
    beside = _quantization_beside(file)
    quantization = _mapping(beside, recipe) if beside.is_file() else None
    architecture = read_architecture(config, quantization)
    written = str(path) if name.startswith("~") else name  # the hosts don't expand it
    folder = written if path.is_dir() else str(Path(written).parent)
    return ModelSource(name, None, None, architecture, config, quantization, folder)


def _mapping(file: Path, recipe: Loaded[Recipe]) -> Mapping[str, Any]:
    data = read_json(file)
    if not isinstance(data, dict):
        place = recipe.document.locate(("model",))
        message = f"{file} is not the JSON object of a model configuration"
        raise InputError((problem("REC006", message, place, ("model",)),))
    return data
