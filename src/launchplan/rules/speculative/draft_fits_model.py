"""A draft model that does not go with the model or its ranks.

## Why

The draft's attention heads are split over its ranks as the model's are. An independent draft model must
have the model's vocabulary: its tokens are the ones that are verified. A context given to the draft is
within its own window and the model's.

## Fix

Take a draft made for this model; where its heads do not divide, `draft_tensor_parallel_size: 1`.

## References

- vLLM 0.33.0 `vllm/config/speculative.py:1786-1800`, `:2049`, `vllm/config/model.py:1560`, `:2680`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.architecture import Architecture
from launchplan.engines.vllm.settings.reading import speculative
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule
from launchplan.units import plural

LONG = "VLLM_ALLOW_LONG_MAX_MODEL_LEN"


@vllm_rule("SPC208", "draft-fits-model", source="config/speculative.py:2049")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the draft with the model."""
    spec, config = view.settings.spec, speculative(view) or {}
    draft = view.architecture if spec and spec.own_layers else spec.draft if spec else None
    if spec is None or draft is None:
        return
    heads, own = draft.num_attention_heads, view.settings.model.vocab_size
    if not spec.own_layers and heads is not None and spec.tp and heads % spec.tp:
        message = f"the draft model has {plural(heads, 'attention head')}, {spec.tp} ranks do not divide them"
        fix = "set draft_tensor_parallel_size: 1, or use tp that divides them"
        yield refuse(view, "speculative_config", message, fix, source="config/model.py:1560")
    elif spec.method == "draft_model" and None not in {draft.vocab_size, own} and draft.vocab_size != own:
        if not config.get("use_heterogeneous_vocab"):
            message = f"the draft model has {draft.vocab_size} tokens in its vocabulary, the model {own}"
            yield refuse(view, "speculative_config", message, "take a draft of the same family")
    else:
        yield from _length(view, draft, config.get("max_model_len"))


def _length(view: VllmView, draft: Architecture, asked: object) -> Iterator[Violation]:
    window, served = draft.derived_max_model_len, view.settings.max_model_len
    if not isinstance(asked, int):
        return
    if window is not None and asked > window and not view.env_on(LONG):
        message = f"speculative max_model_len {asked} exceeds the draft's window of {window} tokens"
        yield refuse(view, "speculative_config", message, "leave it out", source="config/model.py:2680")
    elif served is not None and asked > served:
        message = f"speculative max_model_len {asked} exceeds max_model_len {served}"
        yield refuse(view, "speculative_config", message, "leave it out", source="config/speculative.py:1796")
