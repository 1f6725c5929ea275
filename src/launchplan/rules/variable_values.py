"""What an engine makes of the text of an environment variable."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from launchplan.catalog.engines import Variable
from launchplan.finding import KeyPath
from launchplan.resolve import Deployment, Resolved
from launchplan.rules.environment import variables
from launchplan.rules.versions import bounds
from launchplan.units import choice_text

UNENFORCED = frozenset({"VLLM_RAY_DP_PACK_STRATEGY", "VLLM_HUMMING_MOE_GEMM_TYPE"})
"""Variables whose choices are stated and not looked at when they are read (vllm/envs.py, 0.32.0)."""
_TRUTH = {
    "vllm": frozenset[str](),
    "sglang": frozenset({"true", "1", "yes", "y", "false", "0", "no", "n"}),
}
"""Words that a truth is read from; none where every text is taken."""


def wrong_values(resolved: Resolved) -> Iterator[tuple[str, str, str, KeyPath]]:
    """List name, value, what the release wants and place of each variable that it can't read.

    A value that the site gives later is not looked at. Every release that the version lies between must
    refuse it.
    """
    deployment = resolved.deployment
    releases = bounds(deployment)
    for name, value, path in variables(resolved):
        known = [facts.variable(name) for facts in releases]
        if path[0] == "router" or "$" in value or not known:
            continue
        wanted = [_wanted(deployment, variable, value) if variable else None for variable in known]
        if all(wanted):
            yield name, value, str(wanted[0]), path


def _wanted(deployment: Deployment, variable: Variable, value: str) -> str | None:
    """Say what a variable wants, None when the value is one."""
    if variable.choices is not None:
        enforced = deployment.engine == "vllm" and variable.name not in UNENFORCED
        folded = {choice.lower() for choice in variable.choices}
        return choice_text(variable.choices) if enforced and value.lower() not in folded else None
    match variable.type:
        case "int":
            return None if _reads(int, value) else "a whole number"
        case "float":
            return None if _reads(float, value) else "a number"
        case "bool-int":
            return None if _reads(int, value) else "0 or 1"
        case "bool":
            words = _TRUTH[deployment.engine]
            return "true or false" if words and value.lower() not in words else None
        case "json" if deployment.engine == "vllm":
            return None if _reads(json.loads, value) else "JSON"
    return None


def _reads(convert: Callable[[str], object], value: str) -> bool:
    try:
        convert(value)
    except ValueError:
        return False
    return True
