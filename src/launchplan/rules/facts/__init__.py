"""Rules about what launchplan knows of the things that a recipe names."""

from __future__ import annotations

from launchplan.rules.facts import (
    architecture_known,
    checkpoint_format_known,
    checkpoint_known,
    checkpoint_of_model,
    engine_version_known,
    fabric_known,
    gpu_known,
    gpu_vendor_checked,
    gpus_per_node_known,
    model_known,
    preset_known,
)

RULES = (
    gpu_known.check,
    fabric_known.check,
    model_known.check,
    checkpoint_known.check,
    engine_version_known.check,
    gpus_per_node_known.check,
    architecture_known.check,
    checkpoint_format_known.check,
    preset_known.check,
    checkpoint_of_model.check,
    gpu_vendor_checked.check,
)
