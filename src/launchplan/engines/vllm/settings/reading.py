"""Arguments and environment as plain values; what is not as expected counts as absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from launchplan.engines.view import EngineView
from launchplan.units import decimal


def count(view: EngineView, name: str, least: int = 0) -> int | None:
    """Give an argument that is a whole number of at least `least`."""
    value = view.arguments[name]
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= least else None


def size(view: EngineView, name: str) -> int:
    """Give a size; 1 where it is absent or vLLM refuses it."""
    return count(view, name, 1) or 1


def on(view: EngineView, name: str) -> bool:
    """Tell whether a switch is set."""
    return view.arguments[name] is True


def text(view: EngineView, name: str) -> str | None:
    """Give an argument that is text."""
    value = view.arguments[name]
    return value if isinstance(value, str) else None


def mapping(view: EngineView, name: str) -> Mapping[str, Any]:
    """Give a JSON argument's keys; none where it is absent or no mapping."""
    value = view.arguments[name]
    return value if isinstance(value, Mapping) else {}


def variable(view: EngineView, name: str) -> bool | None:
    """Read a variable that vLLM reads as `bool(int(value))`; None where it is not set (vllm/envs.py:360)."""
    value = view.env.get(name)
    number = decimal(value.strip().lstrip("+-")) if value is not None else None
    return None if number is None else number != 0


_SHORT = (("spec_method", "method"), ("spec_model", "model"), ("spec_tokens", "num_speculative_tokens"))


def speculative(view: EngineView) -> dict[str, Any] | None:
    """Join `--speculative-config` and the three short flags (vllm/engine/arg_utils.py:2100)."""
    given = view.arguments["speculative_config"]
    if given is None and all(view.arguments[name] is None for name, _ in _SHORT):
        return None
    config = {str(key).replace("-", "_"): value for key, value in mapping(view, "speculative_config").items()}
    for name, key in _SHORT:
        if view.arguments[name] is not None:
            config.setdefault(key, view.arguments[name])
    return config if config or isinstance(given, Mapping) else None
