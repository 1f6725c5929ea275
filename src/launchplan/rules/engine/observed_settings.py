"""Traces and histograms that the engine cannot make.

## Why

Detailed traces go to an OpenTelemetry endpoint. Buckets of a histogram belong to a family that vLLM knows,
and rise from above zero.

## Fix

Add `--otlp-traces-endpoint`; correct the buckets.

## References

- vLLM 0.33.0 `vllm/config/observability.py:150`-`:219`, `vllm/v1/metrics/buckets.py:13`
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from launchplan.engines.vllm.settings.reading import mapping, text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import names_are_known, refuse, vllm_rule
from launchplan.rules.wording import shown
from launchplan.units import choice_text

FAMILIES = (
    "request_latency", "time_to_first_token", "inter_token_latency", "iteration_tokens", "request_params_n",
    "request_num_preemptions", "request_tokens", "kv_cache_residency",
)  # fmt: skip

VERSION = re.compile(r"v?\d+(\.\d+)*((a|b|rc|\.?post|\.?dev)\d+)*(\+[\w.]+)?")
FLAGS = ("collect_detailed_traces", "show_hidden_metrics_for_version", "custom_histogram_buckets")


@vllm_rule("ENG223", "observed-settings", source="config/observability.py:194", about=FLAGS)
def check(view: VllmView) -> Iterator[Violation]:
    """Look at the endpoint of traces and at the buckets."""
    if view.arguments["collect_detailed_traces"] and not text(view, "otlp_traces_endpoint"):
        message = "collect-detailed-traces has no endpoint to send traces to"
        place = "config/observability.py:219"
        yield refuse(view, "collect_detailed_traces", message, "add otlp-traces-endpoint", source=place)
    hidden = text(view, "show_hidden_metrics_for_version")
    if hidden is not None and not VERSION.fullmatch(hidden.strip()):
        message = f"show-hidden-metrics-for-version is {shown(hidden)}, no version"
        place = "config/observability.py:150"
        yield refuse(view, "show_hidden_metrics_for_version", message, "use 0.32", source=place)
    for family, bounds in mapping(view, "custom_histogram_buckets").items():
        problem = _problem(bounds)
        if family not in FAMILIES and names_are_known(view):
            message = f"custom-histogram-buckets has {shown(family)}"
            yield refuse(view, "custom_histogram_buckets", message, f"use {choice_text(FAMILIES)}")
        elif problem is not None:
            yield refuse(view, "custom_histogram_buckets", f"custom-histogram-buckets {family} {problem}")


def _problem(bounds: object) -> str | None:
    if not isinstance(bounds, list):
        return f"is {shown(bounds)}, not a list"
    if not bounds:
        return "is empty"
    if any(isinstance(bound, bool) or not isinstance(bound, int | float) or bound <= 0 for bound in bounds):
        return "has a bound that is no number above 0"
    return "does not rise" if any(low >= high for low, high in pairwise(bounds)) else None
