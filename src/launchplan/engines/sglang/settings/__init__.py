"""What SGLang resolves by itself: `resolve_settings` of a view."""

from __future__ import annotations

from launchplan.engines.sglang.settings import classes, mamba
from launchplan.engines.sglang.settings.given import Given
from launchplan.engines.sglang.settings.model import HfModel
from launchplan.engines.sglang.settings.resolve import Resolution, resolve_settings
from launchplan.engines.sglang.settings.types import Graph, SglangSettings

__all__ = [
    "Given",
    "Graph",
    "HfModel",
    "Resolution",
    "SglangSettings",
    "classes",
    "mamba",
    "resolve_settings",
]
