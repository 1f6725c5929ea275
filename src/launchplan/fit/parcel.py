"""What a search found as bytes, for the process that asked for it.

What stands in the catalog goes by its name: the other process has the same catalog.
"""

from __future__ import annotations

import pickle
from io import BytesIO
from typing import Any, cast

from launchplan import catalog
from launchplan.catalog import Gpu, ModelEntry
from launchplan.fit.search import Found


class _Writer(pickle.Pickler):
    def persistent_id(self, value: object) -> tuple[str, str] | None:
        if isinstance(value, Gpu):
            return "gpu", value.id
        return ("model", value.id) if isinstance(value, ModelEntry) else None


class _Reader(pickle.Unpickler):
    def persistent_load(self, name: Any) -> object:
        kind, key = name
        found = catalog.gpu(key) if kind == "gpu" else catalog.model(key)
        if found is None:
            raise pickle.UnpicklingError(f"no {kind} {key} in the catalog")
        return found


def packed(found: Found) -> bytes:
    """Write what a search found."""
    held = BytesIO()
    _Writer(held).dump(found)
    return held.getvalue()


def unpacked(parcel: bytes) -> Found:
    """Read what `packed` wrote; never anything else: reading runs what the bytes say."""
    return cast(Found, _Reader(BytesIO(parcel)).load())
