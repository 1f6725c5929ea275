"""LoRA beside something that its kernels do not serve.

## Why

LoRA's expert kernels (`moe-runner-backend lora_*`) and the newer LoRA backend serve plain layouts and a few
weight formats; drafts of some kinds verify in a way that LoRA's batches do not follow.

## Fix

Change the setting that the message names, or use `lora-backend: csgmv`.

## References

- SGLang 0.5.23 `arg_groups/lora_hook.py:21`, `:184`-`:245`, `:248`-`:301`;
  `lora/marlin_lora_temp/policy.py:15`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.engine.lora_settings import lora_on
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, refuse, sglang_rule

FORMATS = (None, "fp8", "modelopt_fp4")
CHAINS = ("EAGLE", "EAGLE3", "DFLASH", "DSPARK")
PLAN_STREAM = "SGLANG_ENABLE_OVERLAP_PLAN_STREAM"
RAGGED = "SGLANG_RAGGED_VERIFY_MODE"
OPTIMISED = "SGLANG_EXPERIMENTAL_LORA_OPTI"


@sglang_rule("ENG363", "lora-companions", source="lora_hook.py:196")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare LoRA with its companions."""
    given, held, on = view.arguments, view.settings, lora_on(view)
    if given["dllm_algorithm"] is not None:
        on = False
    runner = held.moe_runner_backend
    if runner == "experimental_sgl_marlin":
        yield from _marlin(view, on)
    if on and given["lora_backend"] == "triton_v2" and not runner.startswith("lora"):
        yield from _modes(view, "lora-backend triton_v2")
    if on and algorithm_of(view) not in (None, "NGRAM"):
        yield from _drafts(view)
    if runner.startswith("lora"):
        yield from _runner(view, runner, on)


def _modes(view: SglangView, what: str) -> Iterator[Violation]:
    given, held = view.arguments, view.settings
    amd = view.gpu is not None and view.gpu.vendor == "amd"
    for mode, there in (
        (f"attn-dp-size {held.attn_dp_size}", held.attn_dp_size > 1),
        ("enable-pdmux", given["enable_pdmux"]),
        ("enable-two-batch-overlap", given["enable_two_batch_overlap"]),
        (OPTIMISED, view.env_on(OPTIMISED)),
        ("AMD GPUs", amd),
    ):
        if there:
            yield refuse(view, "lora_backend", f"{what} does not work with {mode}", f"leave out {mode}")


def _drafts(view: SglangView) -> Iterator[Violation]:
    given, held = view.arguments, view.settings
    algorithm = algorithm_of(view)
    runners = (held.moe_runner_backend, held.speculative_moe_runner_backend)
    ragged = view.env.get(RAGGED, "static")
    for what, there in (
        (f"speculative-algorithm {algorithm}", algorithm not in CHAINS),
        (f"DSPARK and {RAGGED} {ragged}", algorithm == "DSPARK" and ragged != "static"),
        ("speculative-adaptive", given["speculative_adaptive"]),
        ("drafts and moe-runner-backend experimental_sgl_trtllm", "experimental_sgl_trtllm" in runners),
        (f"drafts and {PLAN_STREAM}", view.env_on(PLAN_STREAM)),
    ):
        if there:
            yield refuse(
                view, "speculative_algorithm", f"LoRA does not work with {what}", f"leave out {what}"
            )


def _runner(view: SglangView, runner: str, on: bool) -> Iterator[Violation]:
    given, held = view.arguments, view.settings
    flag = f"moe-runner-backend {runner}"
    placed = given["enable_eplb"] or given["init_expert_location"] != "trivial"
    four_bit = held.quantization == "modelopt_fp4" and runner != "lora_marlin"
    exchange = held.moe_a2a_backend
    for problem, there in (
        ("needs enable-lora or lora-paths", not on),
        ("needs lora-backend triton_v2", given["lora_backend"] != "triton_v2"),
        (f"does not run {held.quantization} weights", held.quantization not in FORMATS or four_bit),
        (f"does not exchange tokens by {exchange}", exchange != "none"),
        ("does not work with elastic experts", given["ep_join_mode"] is not None),
        ("needs plain expert placement", placed or given["ep_num_redundant_experts"] > 0),
    ):
        if there:
            yield refuse(view, "moe_runner_backend", f"{flag} {problem}", "leave moe-runner-backend out")
    yield from _modes(view, flag)


def _marlin(view: SglangView, on: bool) -> Iterator[Violation]:
    given, held = view.arguments, view.settings
    elastic = given["elastic_ep_backend"] is not None or given["enable_elastic_expert_backup"]
    placed = given["init_expert_location"] != "trivial" or given["ep_num_redundant_experts"] != 0
    moved = on and (elastic or placed or bool(given["enable_eplb"]))
    for problem, there in (
        (
            f"does not exchange tokens by {held.moe_a2a_backend}",
            held.ep_size > 1 and held.moe_a2a_backend != "none",
        ),
        ("with LoRA needs lora-use-virtual-experts", on and not given["lora_use_virtual_experts"]),
        ("with LoRA needs lora-backend triton", on and given["lora_backend"] != "triton"),
        ("with LoRA and ep needs plain expert placement", held.ep_size > 1 and moved),
    ):
        if there:
            message = f"moe-runner-backend experimental_sgl_marlin {problem}"
            yield refuse(view, "moe_runner_backend", message, "leave moe-runner-backend out")
