"""Models: their dimensions, checkpoints, parsers, and what they are known to run on.

One file a model, `data/models/<organisation>/<name>.yaml`; its checkpoints stand in the same file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal

from pydantic import Field, JsonValue, model_validator

from launchplan.architecture import Architecture, Quantization, read_architecture
from launchplan.catalog.advice import Issue, Score, Speed, Stretch, Thinking
from launchplan.catalog.base import Fact, Named
from launchplan.catalog.load import DATA, NEAR_CUTOFF, name_key, read_fact
from launchplan.errors import CatalogError

if TYPE_CHECKING:
    from pathlib import Path

    from launchplan.architecture.types import Format

Engine = Literal["vllm", "sglang"]
CheckpointFormat = Literal["bf16", "fp16", "fp8", "mxfp8", "nvfp4", "mxfp4", "int4", "int8", "mixed"]
Modality = Literal["text", "image", "video", "audio"]

_FORMATS: tuple[Format, ...] = ("fp8", "mxfp8", "nvfp4", "mxfp4", "int4", "int8")
_UNQUANTIZED = frozenset({"bf16", "fp16"})


class Parameters(Fact):
    """How many parameters are stored, and how many a token uses."""

    total: int | None = Field(default=None, gt=0)
    active: int | None = Field(default=None, gt=0)


class Parsers(Fact):
    """The names of an engine's parsers for this model; None where none is known."""

    tools: str | None = None
    reasoning: str | None = None
    source: str = Field(min_length=1)


class Speculative(Fact):
    """A way of speculative decoding that was published for this model."""

    method: str | None = None
    """The engine's name of the method; None leaves it to the engine to tell from the draft model."""
    tokens: int = Field(gt=0)
    model: str | None = None
    """The draft model; None when the model's own weights hold the drafter."""
    options: Mapping[str, JsonValue] = {}
    """Further keys of the engine's speculative config."""
    source: str = Field(min_length=1)


class HardwareMark(Fact):
    """What the source says of the model on a GPU of the catalog."""

    gpu: str
    status: Literal["verified", "supported", "unsupported"]
    min_gpus: int | None = Field(default=None, gt=0)
    source: str = Field(min_length=1)


class Checkpoint(Fact):
    """A repository with weights of the model in one format."""

    id: str = Field(pattern=r"^[^/\s]+/[^/\s]+$")
    format: CheckpointFormat
    """The format of most weights; `mixed` when two quantized formats share them."""
    bytes: int | None = Field(default=None, gt=0)
    """Size of the weights on disk."""
    bytes_source: str | None = None
    quantization: Mapping[str, JsonValue] | None = None
    """Keys of the repository's `quantization_config`; None when unquantized, or when it was not read.

    Its lists of modules are folded: `*` stands for every layer number, `re:` starts a regular expression.
    """
    separate_file: bool = False
    """The settings stand in ModelOpt's `hf_quant_config.json`, not in the config."""
    config: Mapping[str, JsonValue] = {}
    """Config keys in which the repository differs; a mapping is merged, null takes a key away."""
    gpus: tuple[str, ...] = ()
    """Vendors or GPU ids that the source makes it for; empty when it does not say."""
    notes: tuple[str, ...] = ()

    @property
    def settings_beside(self) -> dict[str, JsonValue] | None:
        """The repository's `hf_quant_config.json`, where the settings stand there."""
        if not self.separate_file:
            return None
        return {"producer": {"name": "modelopt"}, "quantization": dict(self.quantization or {})}

    @model_validator(mode="after")
    def _bytes_have_a_source(self) -> Checkpoint:
        if (self.bytes is None) != (self.bytes_source is None):
            raise ValueError("bytes and bytes_source go together")
        if self.format in _UNQUANTIZED and self.quantization is not None:
            raise ValueError(f"a {self.format} checkpoint has no quantization")
        return self


class ModelEntry(Named):
    """A model as its publisher describes it, and as people ran it."""

    id: str = Field(pattern=r"^[^/\s]+/[^/\s]+$")
    title: str
    config: Mapping[str, JsonValue]
    """The dimensions of `config.json` under their Hugging Face names; keys without bearing are left out."""
    parameters: Parameters
    modalities: tuple[Modality, ...]
    trust_remote_code: tuple[Engine, ...] = ()
    """Engines that are documented to need `--trust-remote-code`."""
    parsers: Mapping[Engine, Parsers] = {}
    speculative: tuple[Speculative, ...] = ()
    sampling: Mapping[str, float | int] = {}
    reasoning_effort: tuple[str, ...] = ()
    """Accepted values, the default first."""
    thinking: Thinking | None = None
    stretch: Stretch | None = None
    scores: tuple[Score, ...] = ()
    """Published results of accuracy tests."""
    speeds: tuple[Speed, ...] = ()
    """Published load tests."""
    issues: tuple[Issue, ...] = ()
    """What is published to go wrong with this model."""
    checkpoints: tuple[Checkpoint, ...] = Field(min_length=1)
    hardware: tuple[HardwareMark, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def _architectures(self) -> dict[str | None, Architecture]:
        return {}

    def checkpoint(self, name: str) -> Checkpoint | None:
        """Return the checkpoint of this id, whatever its case, or None; an alias means the model's own."""
        wanted = name_key(name)
        if wanted in {name_key(alias) for alias in self.aliases}:
            wanted = name_key(self.id)
        return next((each for each in self.checkpoints if name_key(each.id) == wanted), None)

    def architecture(
        self, checkpoint: str | None = None, overrides: Mapping[str, JsonValue] | None = None
    ) -> Architecture:
        """Read the config as a checkpoint has it; without one, as the repository of the model has it.

        `overrides` replace values of the config as the engines' `--hf-overrides` do.

        Where a checkpoint's settings were not read, only its format is known, and `quantization.method` is
        listed as unknown. Raises CatalogError for a checkpoint that the entry does not have.
        """
        if overrides:
            return _architecture(
                merged_config(self.config, overrides), self.checkpoint(checkpoint or self.id)
            )
        if checkpoint not in self._architectures:
            found = self.checkpoint(checkpoint or self.id)
            if found is None and checkpoint is not None:
                known = ", ".join(each.id for each in self.checkpoints)
                raise CatalogError(f"model {self.id} has no checkpoint {checkpoint}; it has {known}")
            self._architectures[checkpoint] = _architecture(self.config, found)
        return self._architectures[checkpoint]


def merged_config(
    config: Mapping[str, JsonValue], overrides: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """Replace values of a config; a mapping is merged key by key (vllm/config/model.py, 0.33.0)."""
    merged = dict(config)
    for key, value in overrides.items():
        old = merged.get(key)
        merged[key] = (
            merged_config(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
        )
    return merged


def _architecture(config: Mapping[str, JsonValue], checkpoint: Checkpoint | None) -> Architecture:
    if checkpoint is None:
        return read_architecture(config)
    merged: dict[str, object] = {**merged_config(config, checkpoint.config)}
    beside = checkpoint.settings_beside
    if beside is None and checkpoint.quantization is not None:
        merged["quantization_config"] = checkpoint.quantization
    model = read_architecture({key: value for key, value in merged.items() if value is not None}, beside)
    if checkpoint.format in _UNQUANTIZED:
        return model
    return _with_stated_format(model, checkpoint)


def _with_stated_format(model: Architecture, checkpoint: Checkpoint) -> Architecture:
    """Fill in the format that the catalog states where the settings leave it open."""
    read = model.quantization
    if checkpoint.quantization is None:
        read = Quantization(method=None, formats=())
    if not read.formats:
        read = replace(read, formats=tuple(name for name in _FORMATS if name == checkpoint.format))
    open_fields = [name for name in model.unknown if not name.startswith("quantization.")]
    open_fields += ["quantization.method"] if checkpoint.quantization is None else []
    open_fields += ["quantization.formats"] if not read.formats else []
    return replace(model, quantization=read, unknown=tuple(open_fields))


class ModelShelf:
    """A directory that holds `<organisation>/<name>.yaml` for each model."""

    def __init__(self, directory: Path) -> None:
        """Take the directory of the files; a file is read when it is asked for."""
        self._directory = directory
        self._entries: dict[Path, ModelEntry] = {}
        self._others: dict[str, ModelEntry | None] = {}

    def all(self) -> tuple[ModelEntry, ...]:
        """Return every model, in the order of the ids."""
        return tuple(self._entry(path) for path in self._paths.values())

    def get(self, name: str) -> ModelEntry | None:
        """Return the model of this id, alias or checkpoint, or None; an id opens its own file only."""
        key = name_key(name)
        if key in self._paths:
            return self._entry(self._paths[key])
        if key not in self._others:
            self._others[key] = self._by_other_name(key)
        return self._others[key]

    def nearest(self, name: str) -> str | None:
        """Return the model or checkpoint id that was probably meant, or None."""
        ids = {name_key(alias): entry.id for entry in self.all() for alias in entry.aliases}
        ids |= {name_key(each): each for entry in self.all() for each in _ids(entry)}
        # People leave the organisation out, so what comes after it counts as a name too.
        ids |= {key.rpartition("/")[2]: each for key, each in reversed(ids.items())}
        close = get_close_matches(name_key(name), ids, n=1, cutoff=NEAR_CUTOFF)
        return ids[close[0]] if close else None

    @cached_property
    def _paths(self) -> dict[str, Path]:
        paths = sorted(self._directory.glob("*/*.yaml"))
        return {name_key(f"{path.parent.name}/{path.stem}"): path for path in paths}

    def _by_other_name(self, key: str) -> ModelEntry | None:
        """Look an alias or checkpoint up in the files that have it somewhere: reading all takes long."""
        for path, text in reversed(self._texts.items()):
            if key in text:
                entry = self._entry(path)
                if key in {name_key(each) for each in (*entry.aliases, *_ids(entry))}:
                    return entry
        return None

    @cached_property
    def _texts(self) -> dict[Path, str]:
        paths = self._paths.values()
        return {path: name_key(path.read_text(encoding="utf-8", errors="replace")) for path in paths}

    def _entry(self, path: Path) -> ModelEntry:
        if path not in self._entries:
            self._entries[path] = read_fact(ModelEntry, path)
        return self._entries[path]


def _ids(entry: ModelEntry) -> tuple[str, ...]:
    return (entry.id, *(each.id for each in entry.checkpoints))


_MODELS = ModelShelf(DATA / "models")


@cache
def model(name: str) -> ModelEntry | None:
    """Return the model of this id, alias or checkpoint id, or None."""
    return _MODELS.get(name)


def models() -> tuple[ModelEntry, ...]:
    """Return every model, in the order of the ids."""
    return _MODELS.all()


def nearest_model(name: str) -> str | None:
    """Return the model or checkpoint id that was probably meant, or None."""
    return _MODELS.nearest(name)
