"""A draft algorithm without its draft model.

## Why

DFLASH and DSPARK draft with a model of their own. DSPARK finds it by itself where the target's configuration
says that it is bundled (`dspark_*` keys) or in a folder `dspark/` inside the checkpoint. EAGLE3 loads the
target as the draft when none is named, and ends over the draft's own vocabulary, which no target has.

## Fix

Give `speculative.model` (`--speculative-draft-model-path`).

## References

- SGLang 0.5.23 `arg_groups/speculative_hook.py:325`, `:752`;
  `speculative/dspark_components/dspark_config.py:162`, `speculative/eagle_worker_v2.py:366`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from launchplan.architecture import Architecture
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, refuse, sglang_rule

BUNDLED = ("dspark_block_size", "dspark_markov_rank", "dspark_noise_token_id", "dspark_target_layer_ids")
OWN_DRAFT = frozenset({"IQuestQ1ForCausalLM"})
"""Classes whose MTP is a checkpoint of its own (`speculative_hook.py:1022`)."""
FAMILY = ("EAGLE", "EAGLE3", "STANDALONE")


@sglang_rule("SPC302", "draft-model-given", source="speculative_hook.py:325")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for the draft model."""
    algorithm, model = algorithm_of(view), view.architecture
    path = view.arguments["speculative_draft_model_path"]
    if path is None and algorithm == "DFLASH":
        yield _missing(view, algorithm)
    if path is None and algorithm == "DSPARK" and model is not None and not bundles_dspark(model):
        yield _missing(view, algorithm)
    if path is None and algorithm == "EAGLE3" and not view.settings.enable_multi_layer_eagle:
        yield replace(_missing(view, algorithm), at="worker")
    own = model is not None and model.architectures[:1] and model.architectures[0] in OWN_DRAFT
    if own and algorithm in FAMILY and path in (None, view.arguments["model_path"]):
        yield _missing(view, algorithm)


def bundles_dspark(model: Architecture) -> bool:
    """Tell whether the target's configuration says that it carries a DSpark draft."""
    return any(model.dims.get(key) is not None or key in model.lists for key in BUNDLED)


def _missing(view: SglangView, algorithm: str) -> Violation:
    message = f"speculative-algorithm {algorithm} needs speculative-draft-model-path"
    return refuse(view, "speculative_algorithm", message, "name the draft model")
