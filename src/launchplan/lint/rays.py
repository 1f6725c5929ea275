"""Hosts that join a Ray cluster, and what a server's workers there get of its environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from launchplan.catalog.version import version_key
from launchplan.lint.judge import Judged
from launchplan.lint.problems import Note
from launchplan.lint.several import given_of
from launchplan.lint.shell import Token

_INTERFACES = frozenset({"GLOO_SOCKET_IFNAME"})
"""Variables that every host of a deployment needs."""
_SOURCES = {
    "vllm": "vllm/ray/ray_env.py, DEFAULT_ENV_VAR_PREFIXES (0.33.0)",
    "sglang": "sglang/srt/ray/engine.py:206 (0.5.23)",
}
_SWITCH = "VLLM_USE_RAY_V2_EXECUTOR_BACKEND"
_SWITCHED = ((0, 20), (0, 32, 99))
"""The releases that read the switch: vllm/envs.py:777 (0.20.0) to 0.32.0."""
_LAST_OFF = (0, 20, 99)
"""It is off by default in 0.20.2 (vllm/envs.py:779) and on from 0.21.0 (vllm/envs.py:787) on."""


def ray_notes(
    judged: Sequence[Judged], rays: Sequence[tuple[Token, tuple[str, ...], Mapping[str, Token]]]
) -> Iterator[Note]:
    """Find hosts that join a Ray cluster without an interface that the server's host names."""
    keeping = [each for each in judged if _keeps_back(each)]
    names = {name for each in keeping for name in each.launch.env if name in _INTERFACES}
    for token, words, env in rays:
        missing = sorted(names - env.keys())
        joins = any(word.startswith("--address") for word in words)
        if joins and missing:
            message = (
                f"{missing[0]} is set for the server and not here: the workers of this host do not get it"
            )
            cure = f"export {missing[0]} before `ray start` on every host"
            yield Note("CMD112", message, token.start, cure, _SOURCES[keeping[0].launch.engine])


def _keeps_back(judged: Judged) -> bool:
    """Tell whether workers on Ray's other hosts surely lack a variable that only the server's host sets.

    Data parallel ranks that Ray starts, and workers of vLLM's older executor, get VLLM_, NCCL_, UCX_ and a
    few other variables, none of GLOO_ (vllm/v1/engine/utils.py:533, vllm/ray/ray_env.py:30, 0.33.0). The
    newer executor fills in what a worker's host does not set (vllm/v1/executor/ray_executor_v2.py:174,
    0.33.0). SGLang's ranks have what `ray start` had (sglang/srt/ray/engine.py:206, 0.5.23).
    """
    given = given_of(judged)
    if judged.launch.engine == "sglang":
        return "use_ray" in given
    if "data_parallel_backend" in given and given["data_parallel_backend"][0] == "ray":
        return True
    asked, switch = version_key(judged.version), judged.launch.env.get(_SWITCH)
    if switch is not None and _SWITCHED[0] <= asked:
        return switch.text == "0" and asked <= _SWITCHED[1]
    return () < asked <= _LAST_OFF
