"""Outputs beside the text that this launch cannot give back.

## Why

Routed experts are returned by the second model runner, for generating models with experts, with prefix
caching, without pipeline stages, context parallelism and most transfers of the KV cache. Sampling masks and
traces are replayed by that runner, too, and masks belong to processed log probabilities.

## Fix

Remove the flag, or what it does not go with.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:1199`-`:1241`, `:1309`-`:1340`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import mapping, on, text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import connectors, refuse, vllm_rule

EXPERTS, MASK, TRACE = "enable_return_routed_experts", "return_sampling_mask", "enable_trace_replay"
WITHOUT = ("NixlConnector", "NixlPullConnector", "NixlPushConnector", "MoRIIOConnector", "MooncakeConnector")
Demand = tuple[bool, str, int]


@vllm_rule(
    "ENG224",
    "replayed-outputs",
    source="config/vllm.py:1206",
    about=(EXPERTS, MASK, TRACE, "aux_output_config"),
)
def check(view: VllmView) -> Iterator[Violation]:
    """Look at what each output needs."""
    given = mapping(view, "aux_output_config").get(EXPERTS) is True
    for flag, wanted, demands in (
        (EXPERTS, on(view, EXPERTS) or given, _experts),
        (MASK, on(view, MASK), _mask),
        (TRACE, on(view, TRACE), _trace),
    ):
        problem = next((each for each in demands(view) if each[0]), None) if wanted else None
        if problem is not None:
            _, text_, line = problem
            message = f"{flag.replace('_', '-')} {text_}"
            yield refuse(view, flag, message, "remove it", source=f"config/vllm.py:{line}")


def _experts(view: VllmView) -> Iterator[Demand]:
    held = view.settings
    sizes = held.parallel
    yield held.v2_runner is False, "needs model runner V2", 1199
    yield held.model.pooling, "is for models that generate", 1204
    yield held.model.experts == 0, "is for models with experts", 1206
    yield held.prefix_caching is False, "needs prefix caching", 1208
    yield sizes.pp > 1, f"does not go with pp {sizes.pp}", 1218
    yield sizes.dcp > 1 or sizes.pcp > 1, "does not go with context parallelism", 1226
    named = next((name for name in connectors(view) if name in WITHOUT), None)
    yield named is not None, f"does not go with {named}", 1241


def _mask(view: VllmView) -> Iterator[Demand]:
    yield view.settings.v2_runner is False, "needs model runner V2", 1309
    yield bool(view.arguments["logits_processors"]), "does not go with logits-processors", 1325
    plain = text(view, "logprobs_mode") != "processed_logprobs"
    yield plain, "needs logprobs-mode processed_logprobs", 1329


def _trace(view: VllmView) -> Iterator[Demand]:
    yield view.settings.v2_runner is False, "needs model runner V2", 1340
