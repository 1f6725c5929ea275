"""SGLang's own view of its arguments, with what it resolves by itself."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines.sglang.settings import Given, Resolution, SglangSettings, resolve_settings
from launchplan.engines.view import EngineView


@dataclass(frozen=True, slots=True)
class SglangView(EngineView):
    """One SGLang process."""

    resolution: Resolution

    @property
    def settings(self) -> SglangSettings:
        """Every argument as the engine resolves it."""
        return self.resolution.settings

    @property
    def given(self) -> Given | None:
        """Model and GPU as the engine sees them; None when either is unknown."""
        return self.resolution.given

    @property
    def gpu_id(self) -> str:
        """The GPU's name for messages."""
        return self.pool.gpu.id if self.pool.gpu else self.pool.gpu_name

    def after(self, step: str) -> SglangSettings:
        """Give the values as a step left them: `models.defaults`; the last ones when nothing was resolved."""
        return self.resolution.after.get(step, self.resolution.settings)


def sglang_view(view: EngineView) -> SglangView:
    """Resolve a view's arguments."""
    return SglangView(
        view.pool, view.arguments, view.env, view.paths, resolve_settings(view), refused=view.refused
    )
