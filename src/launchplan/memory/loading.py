"""What a matrix takes once an engine has made its parameters, before kernels repack it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, gcd
from typing import TYPE_CHECKING

from launchplan.memory.formats import Storage, plain_bytes

if TYPE_CHECKING:
    from launchplan.architecture.types import Format
    from launchplan.memory.tensors import Tensor

_FLOAT = 4
_SMALLEST_BLOCK = 32


@dataclass(frozen=True, slots=True)
class ExpertKernel:
    """What the kernel of the routed experts asks of their matrices' sizes."""

    width_step: int = 1
    """The width of an expert's part is rounded up to a multiple of this."""
    hidden_step: int = 1
    least_width: int = 1
    """A part narrower than this is widened to it."""
    scale_bytes: int = 1
    """Size of a scale of mxfp4 experts."""
    scale_copies: int = 1
    """How often the scales of nvfp4 experts are made: some kernels keep a second, swizzled copy."""
    index_bytes: int = 0
    """What an int4 expert keeps for each of its inputs besides its weights: order of the groups."""
    refines_blocks: bool = False
    """Scales of fp8 blocks that a part would cut are kept for smaller blocks instead."""

    def fit(self, tensor: Tensor, storage: Storage, rows: int, columns: int) -> tuple[int, int, Storage]:
        """Give rows, columns and storage of a rank's part of an expert's matrix."""
        inner = tensor.split == "rows"
        width, hidden = (rows, columns) if inner else (columns, rows)
        width = max(width, self.least_width)
        if columns == 1:
            return _round_up(rows, self.width_step if inner else self.hidden_step), 1, storage
        if self.refines_blocks and storage.block is not None:
            storage = replace(storage, block=_refined(storage.block, width, hidden))
        if storage.format == "mxfp4":
            storage = replace(storage, scale_bytes=self.scale_bytes)
        width, hidden = _round_up(width, self.width_step), _round_up(hidden, self.hidden_step)
        return (width, hidden, storage) if inner else (hidden, width, storage)

    def extra_bytes(self, tensor: Tensor, storage: Storage, rows: int, columns: int) -> int:
        """Give what this kernel keeps of an expert's matrix besides weights and one set of scales."""
        if storage.format == "nvfp4":
            return rows * (columns // storage.group) * (self.scale_copies - 1)
        if storage.format == "int4":
            # Gate and up share the order of their inputs.
            return columns * self.index_bytes // (2 if tensor.split == "rows" else 1)
        return 0


EXACT = ExpertKernel()


def _round_up(size: int, step: int) -> int:
    return ceil(size / step) * step


def _refined(block: tuple[int, int], width: int, hidden: int) -> tuple[int, int]:
    """Shrink square blocks to what divides a part, unless they would be too small for a kernel."""
    if width % block[0] == 0 and width % block[1] == 0:
        return block
    side = gcd(block[0], block[1], width, hidden)
    return block if side < _SMALLEST_BLOCK else (side, side)


def loaded_bytes(storage: Storage, rows: int, columns: int, width: int) -> float:
    """Give the bytes of a rank's part of a matrix in the engine."""
    return _LOADED[storage.format](storage, rows, columns, width)


def _fp8(storage: Storage, rows: int, columns: int, _: int) -> float:
    if storage.block is None:
        return rows * columns + (_FLOAT * rows if storage.by_row else 2 * _FLOAT)
    high, wide = storage.block
    # Both engines keep the scales of blocks in 32 bits, whatever the checkpoint has.
    return rows * columns + ceil(rows / high) * ceil(columns / wide) * _FLOAT


def _grouped(bytes_each: float, constant: int) -> Callable[[Storage, int, int, int], float]:
    def count(storage: Storage, rows: int, columns: int, _: int) -> float:
        return (
            rows * int(columns * bytes_each)
            + rows * (columns // storage.group) * storage.scale_bytes
            + constant
        )

    return count


def _int4(storage: Storage, rows: int, columns: int, _: int) -> float:
    groups = rows * ceil(columns / storage.group)
    return rows * columns / 2 + groups * (2.5 if storage.zero_points else 2) + 8


def _int8(_: Storage, rows: int, columns: int, __: int) -> float:
    return rows * columns + _FLOAT * rows


_LOADED: dict[Format, Callable[[Storage, int, int, int], float]] = {
    "none": plain_bytes,
    "fp8": _fp8,
    "mxfp8": _grouped(1, 0),
    "mxfp4": _grouped(0.5, 0),
    "nvfp4": _grouped(0.5, 2 * _FLOAT),
    "int4": _int4,
    "int8": _int8,
}
