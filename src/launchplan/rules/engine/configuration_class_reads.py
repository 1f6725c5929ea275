"""A configuration class that SGLang's model does not read.

## Why

Without `--trust-remote-code` transformers reads `config.json` with its own class for the model type. For
MiMo-V2-Flash that class keeps the rotary parameters by layer type, a mapping in a mapping; SGLang's model
class takes it for one set of parameters and dies when it looks it up.

## Fix

`trust_remote_code: true`, which takes the model's own configuration class.

## References

- SGLang 0.5.23 `models/mimo_v2.py:868`, `layers/rotary_embedding/factory.py:107`; transformers 5.19.0, which
  that release pins, `models/mimo_v2_flash/configuration_mimo_v2_flash.py`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.rule import ERROR, Violation, rule

NESTED_ROPE = frozenset({"mimo_v2_flash"})
"""Model types whose transformers class nests rotary parameters by layer type."""


@rule(
    "ENG404",
    "configuration-class-reads",
    severity=ERROR,
    engines=("sglang",),
    since={"sglang": "0.5.23"},
    source="sglang/srt/layers/rotary_embedding/factory.py:107 (0.5.23)",
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look for a model type that is read by transformers' own class."""
    model = view.architecture
    if model is None or model.model_type not in NESTED_ROPE or view.arguments["trust_remote_code"]:
        return
    message = f"transformers' configuration of {model.model_type} is not what sglang's model reads"
    yield Violation(message, view.path("trust_remote_code"), "set trust_remote_code: true")
