"""What would change, as a part of the JSON report of `check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from launchplan.fit.whatif import Cure, Elsewhere, WhatIf


def what_if_data(found: WhatIf | None) -> dict[str, Any] | None:
    """Give what mends a recipe, and its layout on every GPU; None for what is not one readable pool."""
    if found is None or not found.elsewhere:
        return None
    return {
        "cures": [_cure(each) for each in found.cures],
        "elsewhere": [_elsewhere(each) for each in found.elsewhere],
    }


def _cure(cure: Cure) -> dict[str, Any]:
    return {"set": list(cure.settings), "requests": cure.requests}


def _elsewhere(each: Elsewhere) -> dict[str, Any]:
    error = each.error
    return {
        "gpu": each.gpu,
        "recipes_own": each.here,
        "nodes": each.nodes,
        "gpus_per_node": each.gpus_per_node,
        "ok": error is None,
        "rule": error.code if error else None,
        "reason": error.message if error else None,
        "fix": error.fix if error else None,
        "requests": each.requests,
    }
