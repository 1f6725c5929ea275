"""What vLLM resolves by itself from arguments, model and GPU."""

from launchplan.engines.vllm.settings.resolve import resolve_settings
from launchplan.engines.vllm.settings.types import (
    ModelFacts,
    ParallelSettings,
    SpeculativeSettings,
    VllmSettings,
)

__all__ = ["ModelFacts", "ParallelSettings", "SpeculativeSettings", "VllmSettings", "resolve_settings"]
