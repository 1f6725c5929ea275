"""A change of quantization that SGLang accepts and then can't build.

## Why

Some values of `--quantization` pass every check and die in the workers, where a layer has no method under
them: `mxfp4` has none for the dense layers of an unquantized checkpoint; `w8a8_int8` takes a
compressed-tensors checkpoint but not one that leaves attention unquantized; `w8a8_fp8` does not know the
shared experts of DeepSeek's classes.

## Fix

Leave the flag out.

## References

- SGLang 0.5.23 `layers/linear.py:482`, `layers/radix_attention.py:107`, `models/deepseek_v2.py:968`,
  `layers/quantization/mxfp4.py:356`, `w8a8_int8.py:104`, `w8a8_fp8.py:87`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.architecture import Architecture
from launchplan.engines.view import EngineView
from launchplan.rules.formats.names import given_method, sglang_stored
from launchplan.rules.rule import ERROR, Violation, rule

INT8 = frozenset({"w8a8_int8", "auto-round-int8"})
SHARED = frozenset({"deepseek", "deepseek_sparse", "kimi_linear"})
"""Families whose shared experts ask for block sizes (`models/deepseek_v2.py:968`)."""
PACKED = frozenset({"compressed-tensors", "compressed_tensors"})


@rule(
    "QNT402",
    "requantized-builds",
    severity=ERROR,
    engines=("sglang",),
    since={"sglang": "0.5.23"},
    source="sglang/srt/layers/linear.py:482 (0.5.23)",
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look for a flag under which a layer has no method."""
    asked, model = given_method(view), view.architecture
    if asked is None or model is None or not model.known:
        return
    problem = _problem(asked, sglang_stored(model.quantization), model)
    if problem is not None:
        text, source = problem
        source = f"sglang/srt/{source} (0.5.23)"
        yield Violation(f"quantization {asked} {text}", view.path("quantization"), "leave it out", source)


def _problem(asked: str, stored: str | None, model: Architecture) -> tuple[str, str] | None:
    if asked == "mxfp4" and stored is None and not model.quantization.is_quantized:
        return "has no method for the dense layers of an unquantized checkpoint", "layers/linear.py:482"
    if stored not in PACKED:
        return None
    if asked in INT8 and any("attn" in pattern for pattern in model.quantization.ignore):
        return (
            "does not go with attention that the checkpoint leaves unquantized",
            "layers/radix_attention.py:107",
        )
    if asked == "w8a8_fp8" and model.family in SHARED and model.moe and model.moe.shared_experts:
        return "does not go with shared experts of this class", "models/deepseek_v2.py:968"
    return None
