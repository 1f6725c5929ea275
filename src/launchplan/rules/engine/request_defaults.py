"""A JSON value that SGLang does not take.

## Why

Overrides of the model's configuration and defaults for requests and media are read when the server starts:
JSON objects, of known keys.

## Fix

Write the value as the message says, or leave the flag out.

## References

- SGLang 0.5.23 `arg_groups/serving_hook.py:168`-`:190`, `:519`, `:603`-`:640`;
  `configs/model_config.py` (`json_model_override_args`)
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule
from launchplan.rules.wording import shown

MEDIA = ("image", "video", "audio")


@sglang_rule("ENG377", "request-defaults", source="serving_hook.py:519")
def check(view: SglangView) -> Iterator[Violation]:
    """Read the JSON values."""
    given = view.arguments
    override = given["json_model_override_args"]
    if isinstance(override, str) and _read(override) is None and override.strip() != "null":
        message = f"json-model-override-args {shown(override)} is no JSON"
        yield refuse(view, "json_model_override_args", message, "write '{\"key\": 1}' in single quotes")
    template = _read(given["default_chat_template_kwargs"])
    if template is not None and not isinstance(template, dict):
        message = "default-chat-template-kwargs must be a JSON object"
        yield refuse(view, "default_chat_template_kwargs", message, "write {...}")
    process = _read(given["mm_process_config"])
    if process is not None and not isinstance(process, dict):
        yield refuse(view, "mm_process_config", "mm-process-config must be a JSON object", "write {...}")
    elif process is not None:
        for name in MEDIA:
            if name in process and not isinstance(process[name], dict):
                message = f"mm-process-config: {name} must be an object"
                yield refuse(view, "mm_process_config", message, "write {...}")
    limits = _read(given["limit_mm_data_per_request"])
    for name in limits if isinstance(limits, dict) else ():
        if name not in MEDIA:
            message = f"limit-mm-data-per-request: {shown(name)} is none of image, video, audio"
            yield refuse(view, "limit_mm_data_per_request", message, f"remove {name}")
    sampling = _read(given["preferred_sampling_params"])
    if isinstance(sampling, dict) and "watermark" in sampling:
        message = "preferred-sampling-params does not take watermark"
        yield refuse(view, "preferred_sampling_params", message, "remove watermark")


def _read(written: object) -> object:
    if isinstance(written, str):
        try:
            return json.loads(written)
        except ValueError:
            return None
    return written
