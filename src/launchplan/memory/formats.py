"""In which format each tensor of a checkpoint is stored, and what that takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING

from launchplan.memory.inventory import list_inventory

if TYPE_CHECKING:
    from launchplan.architecture import Architecture, Quantization
    from launchplan.architecture.types import Format
    from launchplan.memory.tensors import Tensor

_PREFIX = re.compile(r"^(?:model\.language_model|language_model\.model|model|language_model)\.")
_DTYPE_BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}
# Settings of these producers list what they leave out; without a list we only assume what they leave out.
_LISTED = frozenset({"modelopt", "modelopt_fp4", "modelopt_mxfp8"})
_USUALLY_LEFT_OUT = ("mtp*",)
_GROUPS: dict[str, int] = {"nvfp4": 16, "mxfp4": 32, "mxfp8": 32}
_USUAL_INT4_GROUP = 128


@dataclass(frozen=True, slots=True)
class Storage:
    """A format with the sizes that decide what its scales take."""

    format: Format = "none"
    block: tuple[int, int] | None = None
    """Rows and columns that share a scale, of block-wise fp8."""
    group: int = 0
    """Elements of a row that share a scale, of the four-bit formats and mxfp8."""
    scale_bytes: int = 0
    zero_points: bool = False
    by_row: bool = False
    """One scale a row in place of one a tensor."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor as a checkpoint stores it in some of its layers."""

    tensor: Tensor
    storage: Storage
    layers: tuple[int, ...] | None

    @property
    def bytes(self) -> int:
        """Bytes of all layers and copies."""
        tensor = self.tensor
        each = matrix_bytes(self.storage, tensor.rows, tensor.columns, tensor.width or 2)
        return round(each * tensor.copies * (1 if self.layers is None else len(self.layers)))


UNQUANTIZED = Storage()
NVFP4 = Storage("nvfp4", group=16, scale_bytes=1)


def matrix_bytes(storage: Storage, rows: int, columns: int, width: int) -> float:
    """Give the bytes of one matrix with its scales; `width` is that of an unquantized element."""
    return _BYTES[storage.format](storage, rows, columns, width)


def plain_bytes(_: Storage, rows: int, columns: int, width: int) -> float:
    """Count the bytes of a matrix whose numbers are `width` bytes each."""
    return rows * columns * width


def _fp8(storage: Storage, rows: int, columns: int, _: int) -> float:
    if storage.block is not None:
        high, wide = storage.block
        return rows * columns + ceil(rows / high) * ceil(columns / wide) * storage.scale_bytes
    # A scale of the weights and one of the activations, or one a row.
    return rows * columns + (4 * rows if storage.by_row else 8)


def _grouped(bytes_each: float, constant: int) -> Callable[[Storage, int, int, int], float]:
    def count(storage: Storage, rows: int, columns: int, _: int) -> float:
        scales = rows * ceil(columns / storage.group) * storage.scale_bytes
        return rows * columns * bytes_each + scales + constant

    return count


def _int4(storage: Storage, rows: int, columns: int, _: int) -> float:
    groups = rows * ceil(columns / storage.group)
    if storage.zero_points:
        return rows * columns / 2 + groups * 2.5
    # The packed tensor goes with the two numbers of its shape.
    return rows * columns / 2 + groups * 2 + 8


def _int8(_: Storage, rows: int, columns: int, __: int) -> float:
    return rows * columns + 2 * rows


_BYTES: dict[Format, Callable[[Storage, int, int, int], float]] = {
    "none": plain_bytes,
    "fp8": _fp8,
    "mxfp8": _grouped(1, 0),
    "mxfp4": _grouped(0.5, 0),
    # The tensor's own scale and that of the activations are 32 bits each.
    "nvfp4": _grouped(0.5, 8),
    "int4": _int4,
    "int8": _int8,
}


@dataclass(frozen=True, slots=True)
class StoredModel:
    """All tensors of a checkpoint with their formats."""

    tensors: tuple[Stored, ...]
    missing: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()


@lru_cache(maxsize=256)
def store(model: Architecture) -> StoredModel:
    """Decide the format of every tensor from the settings of the checkpoint."""
    inventory = list_inventory(model)
    rule = _Rule(model)
    found: list[Stored] = []
    layers: dict[tuple[int, ...], tuple[int, ...]] = {}
    for tensor in inventory.tensors:
        for each in _by_format(tensor, rule):
            # Tensors of the same layers share one tuple: their layers are then counted once a rank.
            same = None if each.layers is None else layers.setdefault(each.layers, each.layers)
            found.append(Stored(each.tensor, each.storage, same))
    missing = inventory.missing + (() if model.quantization.formats else ("quantization.formats",))
    return StoredModel(tuple(found), missing, inventory.uncertain + rule.doubts)


def _by_format(tensor: Tensor, rule: _Rule) -> list[Stored]:
    if not tensor.quantizable:
        return [Stored(tensor, UNQUANTIZED, tensor.layers)]
    if tensor.layers is None:
        return [Stored(tensor, rule.storage(tensor, tensor.name), None)]
    layers: dict[Storage, list[int]] = {}
    for layer in tensor.layers:
        name = tensor.name.replace("{}", str(layer))
        layers.setdefault(rule.storage(tensor, name), []).append(layer)
    return [Stored(tensor, storage, tuple(numbers)) for storage, numbers in layers.items()]


class _Rule:
    """The settings of one checkpoint, ready to be asked about names."""

    def __init__(self, model: Architecture) -> None:
        quantization = model.quantization
        self._model, self._quantization = model, quantization
        self._formats = tuple(each for each in quantization.formats if each != "none")
        method = (quantization.method or "").lower()
        self.doubts: tuple[str, ...] = ()
        ignore = quantization.ignore
        if method in _LISTED and not ignore and not quantization.modules and self._formats:
            ignore = _USUALLY_LEFT_OUT
            self.doubts = ("the checkpoint does not list what it leaves unquantized",)
        elif quantization.method is None and self._formats:
            # ModelOpt's settings without their producer, or none at all.
            ignore = (*ignore, *_USUALLY_LEFT_OUT)
            self.doubts = ("the checkpoint's quantization settings are not known",)
        self._ignored = _Names(ignore)
        self._exact = {
            _plain_name(name): format_ for name, format_ in quantization.modules if "*" not in name
        }
        self._wild = tuple((_Names((name,)), each) for name, each in quantization.modules if "*" in name)

    def storage(self, tensor: Tensor, name: str) -> Storage:
        """Say how a matrix of this name is stored."""
        if not self._formats or tensor.part == "vision":
            return UNQUANTIZED
        if self._quantization.modules:
            listed = self._listed(name)
            if listed is not None:
                return self._of(listed, tensor)
            # What a mixed checkpoint does not list keeps the format that it was made from.
            if self._quantization.quant_method != "fp8":
                return UNQUANTIZED
            four_bit = tensor.kind == "experts" and self._model.dims.get("expert_dtype") == "fp4"
            return self._of("mxfp4" if four_bit else "fp8", tensor)
        if name in self._ignored or (tensor.kind == "lm_head" and not self._quantizes_head()):
            return UNQUANTIZED
        format_ = self._main_format(tensor)
        return UNQUANTIZED if format_ is None else self._of(format_, tensor)

    def _quantizes_head(self) -> bool:
        """Only ModelOpt quantizes the output layer, where it does not leave it out."""
        return self._quantization.quant_algo is not None

    def _main_format(self, tensor: Tensor) -> Format | None:
        """Pick between the formats of a checkpoint with experts of their own format."""
        is_expert = tensor.kind == "experts"
        if self._model.family == "deepseek_v4":
            fp4 = next((each for each in self._formats if each in {"mxfp4", "nvfp4"}), None)
            return fp4 if is_expert and fp4 else "fp8"
        if self._formats[0] == "mxfp4" and not is_expert and not self._quantization.ignore:
            return None
        if self._quantization.quant_method == "mxfp4" and not is_expert:
            return None
        return self._formats[0]

    def _listed(self, name: str) -> Format | None:
        plain = _plain_name(name)
        candidates = [plain, plain.rpartition(".")[0]]
        if ".experts." in plain:
            candidates.append(plain.partition(".experts.")[0] + ".experts")
        for each in candidates:
            if each in self._exact:
                return self._exact[each]
        return next((format_ for names, format_ in self._wild if name in names), None)

    def _of(self, format_: Format, tensor: Tensor) -> Storage:
        settings = self._quantization
        if format_ == "fp8":
            return _fp8_storage(self._model, settings, in_mix=bool(settings.modules))
        if format_ == "int4":
            zero_points = settings.quant_method in {"awq", "gptq"} or settings.quant_algo is not None
            return Storage("int4", group=settings.group_size or _USUAL_INT4_GROUP, zero_points=zero_points)
        if format_ in _GROUPS:
            scale = (settings.scale_bytes or 1) if tensor.kind == "experts" else 1
            return Storage(format_, group=_GROUPS[format_], scale_bytes=scale)
        return Storage(format_)


def _fp8_storage(model: Architecture, settings: Quantization, *, in_mix: bool) -> Storage:
    blocks = settings.weight_block_size
    if blocks is not None and len(blocks) == 2:
        # Qwen stores scales in 16 bits, DeepSeek V4 in 8, everybody else in 32.
        qwen = any(name.startswith("Qwen") for name in model.architectures)
        scale = 1 if model.family == "deepseek_v4" else 2 if qwen else 4
        return Storage("fp8", block=(blocks[0], blocks[1]), scale_bytes=scale)
    return Storage("fp8", by_row=settings.method == "compressed-tensors" and not in_mix)


def _plain_name(name: str) -> str:
    return _PREFIX.sub("", name)


class _Names:
    """Patterns of module names: globs, whole names, names of a module that holds others, or `re:`."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        self._regex = [re.compile(each[3:]) for each in patterns if each.startswith("re:")]
        plain = [_plain_name(each) for each in patterns if not each.startswith("re:")]
        self._whole = {each for each in plain if "*" not in each}
        globs = [translate(each)[:-2] for each in plain if "*" in each]
        self._globs = re.compile(rf"(?:.*\.)?(?:{'|'.join(globs)})(?:\..*)?\Z") if globs else None

    def __contains__(self, name: str) -> bool:
        plain = _plain_name(name)
        if any(regex.match(name) for regex in self._regex):
            return True
        if self._whole and self._holds(plain):
            return True
        return self._globs is not None and self._globs.match(plain) is not None

    def _holds(self, name: str) -> bool:
        """Look for any run of the name's parts among the whole names."""
        parts = name.split(".")
        ends = range(1, len(parts) + 1)
        return any(".".join(parts[start:end]) in self._whole for end in ends for start in range(end))
