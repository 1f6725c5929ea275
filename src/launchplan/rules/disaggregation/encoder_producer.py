"""An encoder apart whose model has no encoder.

## Why

An engine that is `ec_producer` runs the encoder of images and nothing else, so the model must take images.

## Fix

Remove `ec-transfer-config`, or serve a multimodal model.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:2898`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import mapping
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("DIS206", "encoder-producer", source="config/vllm.py:2898", about=("ec_transfer_config",))
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the role with the model."""
    config = mapping(view, "ec_transfer_config")
    alone = config.get("ec_connector") is not None and config.get("ec_role") == "ec_producer"
    if alone and view.settings.model.multimodal is False:
        message = "ec_role ec_producer runs an encoder, which the model does not have"
        yield refuse(view, "ec_transfer_config", message, "remove ec-transfer-config")
