"""One vLLM process with what vLLM resolves by itself."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines.view import EngineView
from launchplan.engines.vllm.settings import VllmSettings, resolve_settings


@dataclass(frozen=True, slots=True)
class VllmView(EngineView):
    """What one vLLM process is given, and what it makes of it."""

    settings: VllmSettings


def vllm_view(view: EngineView) -> VllmView:
    """Resolve what vLLM fills in, once for all rules."""
    return VllmView(
        view.pool, view.arguments, view.env, view.paths, resolve_settings(view), refused=view.refused
    )
