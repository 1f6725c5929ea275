"""Options of speculative decoding that do not go together.

## Why

Several options belong to one method or exclude each other: made-up acceptance rates, FLy verification,
drafts with another vocabulary, shared MTP indices, adaptive verification.

## Fix

Remove the option that is named.

## References

- vLLM 0.33.0 `vllm/config/speculative.py:608-623`, `:1626-1700`, `:1939-2035`, `vllm/config/vllm.py:1930`,
  `:3150`, `vllm/config/model.py:1466`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from launchplan.engines.vllm.settings.reading import on, speculative
from launchplan.engines.vllm.settings.speculative import WITHOUT_MODEL
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import PLUGINS, lists_all, models, refuse, vllm_rule
from launchplan.rules.wording import shown


@vllm_rule("SPC206", "speculative-options-agree", source="config/speculative.py:1939")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at each option's companion."""
    config, spec = speculative(view), view.settings.spec
    if config is None or spec is None:
        return
    method, tokens = spec.method, spec.tokens
    demands = (*_sampling(config, method, tokens), *_drafting(config, method), *_engine(view, config, method))
    problem = next((text for broken, text in demands if broken), None)
    if problem is not None:
        yield refuse(view, "speculative_config", f"speculative-config {problem}", "remove it")


def _sampling(
    config: Mapping[str, Any], method: str | None, tokens: int | None
) -> Iterator[tuple[bool, str]]:
    way = config.get("rejection_sample_method", "standard")
    rates, length = config.get("synthetic_acceptance_rates"), config.get("synthetic_acceptance_length")
    if way == "synthetic":
        yield (rates is None) == (length is None), "synthetic wants acceptance rates or a length, one of them"
        number = tokens or 0
        yield (
            isinstance(rates, list) and len(rates) != number,
            f"synthetic_acceptance_rates has not {number} rates",
        )
        yield (
            isinstance(rates, list) and any(not _is_share(rate) for rate in rates),
            "synthetic_acceptance_rates are 0 to 1",
        )
        yield (
            isinstance(rates, list) and any(low < high for low, high in pairwise(filter(_is_share, rates))),
            "synthetic_acceptance_rates must not rise",
        )
        yield (
            isinstance(length, int | float) and not 1 <= length <= number + 1,
            "synthetic length is out of range",
        )
    else:
        made_up = rates is not None or length is not None
        yield made_up, "has synthetic acceptance without rejection_sample_method synthetic"
    if way == "fly":
        window = config.get("fly_window_size")
        yield method == "extract_hidden_states", "fly does not verify hidden states"
        yield tokens is not None and tokens < 2, "fly needs 2 draft tokens or more"
        wide = isinstance(window, int) and tokens is not None and window >= tokens
        yield wide, "fly_window_size must be below the draft tokens"


def _is_share(rate: object) -> bool:
    return isinstance(rate, int | float) and 0 <= rate <= 1


def _drafting(config: Mapping[str, Any], method: str | None) -> Iterator[tuple[bool, str]]:
    other = bool(config.get("use_heterogeneous_vocab"))
    yield other and method != "draft_model", "use_heterogeneous_vocab is for method draft_model"
    greedy = config.get("draft_sample_method", "greedy") == "greedy"
    yield other and not greedy, "use_heterogeneous_vocab goes with greedy drafts"
    local = bool(config.get("use_local_argmax_reduction"))
    yield other and local, "use_heterogeneous_vocab does not go with use_local_argmax_reduction"
    shared = config.get("index_share_for_mtp_iteration") is not None
    yield shared and method != "mtp", "index_share_for_mtp_iteration is for method mtp"
    yield (
        config.get("dspark_draft_topk") is not None and method != "dspark",
        "dspark_draft_topk is for dspark",
    )
    yield config.get("xpress_topc") is not None and method != "dflash", "xpress_topc is for XPress drafts"
    head = config.get("draft_lm_head_quantization") is not None
    yield head and method not in {"eagle", "eagle3", "mtp"}, "draft_lm_head_quantization is for eagle and mtp"
    adaptive = bool(config.get("enable_adaptive_verification"))
    yield adaptive and local and method != "dspark", "adaptive verification needs the draft's logits"


def _engine(view: VllmView, config: Mapping[str, Any], method: str | None) -> Iterator[tuple[bool, str]]:
    settings = view.settings
    adaptive = bool(config.get("enable_adaptive_verification"))
    full = (settings.cudagraph_mode or "").startswith("FULL")
    yield adaptive and on(view, "enable_lora"), "adaptive verification does not go with LoRA"
    yield adaptive and not full, "adaptive verification needs full CUDA graphs"
    yield adaptive and settings.parallel.pp > 1, "adaptive verification does not go with pipeline stages"
    eagle = method in {"eagle", "eagle3", "mtp", "dflash", "dspark"}
    yield (
        eagle and on(view, "kv_sharing_fast_prefill"),
        f"{method} needs logits that kv-sharing-fast-prefill drops",
    )
    form, facts = config.get("quantization"), models(view)
    if (
        isinstance(form, str)
        and form not in PLUGINS
        and method not in WITHOUT_MODEL
        and lists_all(facts, view)
    ):
        yield facts.method(form) is None, f"has quantization {shown(form)}"
