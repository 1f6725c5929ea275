"""Settings that UNO does not work with.

## Why

UNO drafts with a LoRA adapter on the target itself, on one GPU, with FlashAttention 3. It takes no draft
model, needs the adapter and the width to verify, and its tree has to fit the kernels.

## Fix

Change the setting that the message names, or use another algorithm.

## References

- SGLang 0.5.23 `arg_groups/speculative_hook.py:455`-`:610`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, joins_attention_dp, refuse, sglang_rule

MOST_VERIFIED = 128
MOST_SLOTS = 2048


@sglang_rule("SPC303", "uno-settings", source="speculative_hook.py:455")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the settings with what UNO runs."""
    held, given = view.settings, view.arguments
    if algorithm_of(view) != "UNO":
        return
    if given["speculative_draft_model_path"] is not None:
        yield _no(view, "speculative_draft_model_path", "takes no speculative-draft-model-path")
    if given["uno_lora_path"] is None:
        yield _no(view, "speculative_algorithm", "needs uno-lora-path")
    for switch in ("enable_deterministic_inference", "enable_strict_thinking", "enable_lora", "lora_paths",
                   "speculative_use_rejection_sampling"):  # fmt: skip
        if given[switch]:
            yield _no(view, switch, f"does not work with {switch.replace('_', '-')}")
    if (held.tp_size, held.pp_size) != (1, 1):
        yield _no(view, "tp_size", f"runs on one GPU, tp x pp is {held.tp_size * held.pp_size}")
    if joins_attention_dp(view) or held.attn_cp_size != 1:
        yield _no(view, "attn_dp_size", "does not work with attention data or context parallelism")
    backends = (held.prefill_backend, held.decode_backend)
    if held.complete and backends != ("fa3", "fa3"):
        yield _no(view, "attention_backend", f"needs attention-backend fa3, not {backends[1]}")
    yield from _width(view)


def _width(view: SglangView) -> Iterator[Violation]:
    given = view.arguments
    width, top = given["speculative_num_draft_tokens"], given["speculative_eagle_topk"]
    if width is None or width < 1:
        yield _no(view, "speculative_num_draft_tokens", "needs speculative-num-draft-tokens of 1 or more")
        return
    if top is not None and top < 1:
        yield _no(view, "speculative_eagle_topk", f"needs speculative-eagle-topk of 1 or more, not {top}")
    if top is not None and top > 1:
        yield from _tree(view, width, top)


def _tree(view: SglangView, width: int, top: int) -> Iterator[Violation]:
    given, steps = view.arguments, view.arguments["speculative_num_steps"]
    if steps is None or steps < 1:
        yield _no(view, "speculative_num_steps", "as a tree needs speculative-num-steps of 1 or more")
        return
    most = min(MOST_VERIFIED, MOST_SLOTS // top, _nodes(top, steps, width), top * (steps - 1) + 2)
    if not steps + 1 <= width <= most:
        message = f"as a tree verifies {steps + 1} to {most} tokens, not {width}"
        yield _no(view, "speculative_num_draft_tokens", message)
    for switch in ("enable_pdmux", "enable_two_batch_overlap"):
        if given[switch]:
            yield _no(view, switch, f"as a tree does not work with {switch.replace('_', '-')}")
    for name in ("speculative_accept_threshold_single", "speculative_accept_threshold_acc"):
        if given[name] != 1.0:
            yield _no(view, name, f"as a tree needs {name.replace('_', '-')} 1.0")


def _nodes(top: int, steps: int, enough: int) -> int:
    """Count the nodes of a full tree, no further than needed."""
    nodes, level = 1, 1
    for _ in range(steps):
        level *= top
        nodes += level
        if nodes >= enough:
            break
    return nodes


def _no(view: SglangView, name: str, what: str) -> Violation:
    return refuse(view, name, f"speculative-algorithm UNO {what}", "use NEXTN, EAGLE3 or NGRAM otherwise")
