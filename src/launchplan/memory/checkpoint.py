"""What a checkpoint holds in bytes: from the architecture, or exactly from its files."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from launchplan.memory.formats import Stored, store
from launchplan.memory.tensors import TensorClass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from launchplan.architecture import Architecture
    from launchplan.architecture.types import Format

Origin = Literal["formula", "files"]
_ELEMENT_BYTES: Mapping[Format, float] = {
    "fp8": 1, "mxfp8": 1, "int8": 1, "mxfp4": 0.5, "nvfp4": 0.5, "int4": 0.5,
}  # fmt: skip
_INDEX = "model.safetensors.index.json"
_LENGTH = struct.Struct("<Q")
# The format's own limit on the length of a header, in bytes.
_MAX_HEADER = 100_000_000
# Files with the same weights once more, as Mistral and Llama ship them.
_SECOND_COPIES = ("consolidated", "original")


@dataclass(frozen=True, slots=True)
class CheckpointSize:
    """The bytes of a checkpoint's tensors."""

    total: int
    by_class: Mapping[TensorClass, int]
    """Empty when the total comes from files."""
    parameters: int
    """0 when the total comes from files."""
    origin: Origin
    uncertain: tuple[str, ...] = ()
    """Why the total may be off by more than rounding; empty when it is exact."""


@lru_cache(maxsize=512)  # rules ask for the same one on every layout of a search
def checkpoint_size(model: Architecture) -> CheckpointSize | None:
    """Compute what the checkpoint of a model holds; None when its sizes are not all known."""
    stored = store(model)
    if stored.missing:
        return None
    by_class: dict[TensorClass, int] = {}
    parameters = 0
    for each in stored.tensors:
        if not _is_stored(each):
            continue
        name = each.tensor.tensor_class
        by_class[name] = by_class.get(name, 0) + each.bytes
        parameters += _elements(each)
    held = MappingProxyType(by_class)
    return CheckpointSize(sum(held.values()), held, parameters, "formula", stored.uncertain)


@lru_cache(maxsize=512)
def least_text_bytes(model: Architecture) -> int | None:
    """Count what the text model takes at least, whatever the quantization settings leave out.

    Every matrix that can be quantized is taken for as small as the checkpoint's format makes it, without
    scales; a vision tower and layers that only draft are not counted. None when the format or a size of the
    model is not known.
    """
    stored = store(model)
    if stored.missing:
        return None
    formats = [each for each in model.quantization.formats if each != "none"]
    element = min((_ELEMENT_BYTES[each] for each in formats), default=None)
    text = [each for each in stored.tensors if each.tensor.part == "text" and _is_stored(each)]
    return sum(
        each.bytes if element is None or not each.tensor.quantizable else int(_elements(each) * element)
        for each in text
    )


def _is_stored(stored: Stored) -> bool:
    return "checkpoint" in stored.tensor.held_by


def _elements(stored: Stored) -> int:
    tensor = stored.tensor
    return tensor.rows * tensor.columns * tensor.copies * (1 if stored.layers is None else len(stored.layers))


def checkpoint_size_on_disk(folder: Path) -> CheckpointSize | None:
    """Read the exact bytes from a folder's safetensors files or their index; None when it has neither.

    The headers are preferred: they are what the engine reads, and an index may be stale.
    """
    files = tuple(
        path for path in sorted(folder.glob("*.safetensors")) if not path.stem.startswith(_SECOND_COPIES)
    )
    sizes = tuple(_tensor_bytes(path) for path in files)
    listed = _listed_files(folder)
    complete = listed is None or listed <= {path.name for path in files}
    if files and complete and None not in sizes:
        return CheckpointSize(sum(size for size in sizes if size is not None), {}, 0, "files")
    total = _index_total(folder)
    return None if total is None else CheckpointSize(total, {}, 0, "files")


def _tensor_bytes(path: Path) -> int | None:
    """Add up the tensors that a file's header describes; None for a file that is not safetensors."""
    with path.open("rb") as file:
        start = file.read(_LENGTH.size)
        if len(start) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack(start)
        if length > _MAX_HEADER:
            return None
        header = _json(file.read(length))
    if not isinstance(header, dict):
        return None
    entries = (entry for name, entry in header.items() if name != "__metadata__")
    spans = [_span(entry) for entry in entries]
    return None if None in spans else sum(span for span in spans if span is not None)


def _span(entry: object) -> int | None:
    offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
    if (
        not isinstance(offsets, list)
        or len(offsets) != 2
        or not all(isinstance(each, int) for each in offsets)
    ):
        return None
    return int(offsets[1] - offsets[0])


def _json(text: bytes) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _index(folder: Path) -> dict[str, object]:
    path = folder / _INDEX
    read = _json(path.read_bytes()) if path.is_file() else None
    return read if isinstance(read, dict) else {}


def _listed_files(folder: Path) -> set[str] | None:
    names = _index(folder).get("weight_map")
    return {str(name) for name in names.values()} if isinstance(names, dict) else None


def _index_total(folder: Path) -> int | None:
    metadata = _index(folder).get("metadata")
    total = metadata.get("total_size") if isinstance(metadata, dict) else None
    return int(total) if isinstance(total, int | float) and total > 0 else None
