"""A value that a flag does not have in an older release.

## Why

Quantization methods, KV cache formats, attention backends, runners of experts and ways to load a checkpoint
are names of a release. One that came later, or went, is refused by the parser, or by vLLM's configuration.

## Fix

Use a name of this release, or the release that has it.

## References

- vLLM 0.4.0 to 0.32.0: `QUANTIZATION_METHODS` of `vllm/model_executor/layers/quantization/__init__.py`,
  looked up by `_verify_quantization` of `vllm/config.py` (`vllm/config/model.py` since 0.11.0)
- vLLM 0.4.0 to 0.32.0: `CacheDType` of `vllm/config/cache.py`, the parser's choices
- SGLang 0.4.0 to 0.5.22: choices of `sglang/srt/server_args.py`
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from launchplan.engines.view import EngineView
from launchplan.rules.flag_names import later_release, missing_name, names_of
from launchplan.rules.past import unread
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.versions import reaches
from launchplan.rules.wording import cut, shown
from launchplan.units import choice_text

FLAGS = {
    "vllm": ("--quantization",),
    "sglang": (
        "--quantization", "--attention-backend", "--prefill-attention-backend", "--decode-attention-backend",
        "--moe-runner-backend", "--moe-a2a-backend", "--load-format", "--grammar-backend",
    ),
}  # fmt: skip
"""Flags whose values are looked up here."""
OWN_RULES = {
    "vllm": ("--kv-cache-dtype",),
    "sglang": ("--tool-call-parser", "--reasoning-parser", "--kv-cache-dtype"),
}
"""Flags with a rule of their own, which does not see a value that no known release has."""
OVERRIDES = "0.9.0"
"""The first release of vLLM where the checkpoint's own method may come before an unknown name is refused:
until then the name was one of the parser's choices (`engine/arg_utils.py:603`, 0.8.5)."""


@rule(
    "ENG407",
    "value-of-release",
    severity=ERROR,
    until={"vllm": "0.33.0", "sglang": "0.5.23"},
    source={"vllm": "QUANTIZATION_METHODS of the release", "sglang": "choices of sglang/srt/server_args.py"},
    at={"vllm": "config", "sglang": "parse"},
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look each value up among those of this release."""
    deployment = view.pool.deployment
    for flag in (*FLAGS[view.engine], *OWN_RULES[view.engine]):
        destination = flag[2:].replace("-", "_")
        name = _value(view, flag, destination)
        if not isinstance(name, str) or not missing_name(deployment, flag, name.lower()):
            continue
        if flag == "--quantization" and view.engine == "vllm" and _may_be_had(view):
            continue
        message = f"{deployment.engine_label} has no {flag[2:]} {shown(name)}"
        yield Violation(message, view.path(destination), _cure(view, flag, name.lower()))


def _value(view: EngineView, flag: str, destination: str) -> object:
    """Give what was written; the defaults that are known may be those of a newer release."""
    if destination not in view.arguments:
        return unread(view, flag)
    return None if flag in OWN_RULES[view.engine] else view.arguments[destination]


def _may_be_had(view: EngineView) -> bool:
    """Tell whether something else may bring the name: a plug-in for other accelerators, or the checkpoint.

    The checkpoint's own method stands in place of a name that it overrides, as that of AutoRound does.
    """
    model, gpu = view.architecture, view.gpu
    if gpu is None or gpu.vendor not in {"nvidia", "amd"}:
        return True
    overrides = reaches(view.pool.deployment.version, OVERRIDES)
    return overrides and (model is None or model.quantization.is_quantized)


def _cure(view: EngineView, flag: str, name: str) -> str:
    deployment = view.pool.deployment
    later = later_release(deployment, flag, name)
    if later is not None:
        return f"use {deployment.engine} {later}, which has {cut(name)}, or leave it out"
    near = get_close_matches(name, names_of(deployment, flag), n=2)
    return f"use {choice_text(near)}" if near else "leave it out"
