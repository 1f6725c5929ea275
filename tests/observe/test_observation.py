"""A recipe's plan against a log, and what is kept of the log for the next plan."""

from __future__ import annotations

import pytest

from launchplan import api
from launchplan.errors import InputError
from launchplan.units import GIB
from tests.observe.test_read import BY_NAME

RECIPE = """\
launchplan: 1
name: llama
summary: Llama on two H100
model: meta-llama/Llama-3.1-8B
engine: {name: vllm, version: "0.33.0"}
hardware: {gpu: h100, nodes: 1, gpus_per_node: 2}
parallel: {tp: 2}
"""
LOG = BY_NAME["vllm 0.33, ranks of one replica"]


OF_A_LAUNCH = ("activations", "cuda graphs", "non-torch", "pool")
"""Terms that hold for the launch that was measured, and for no other."""


def unused(why: str, *terms: str) -> set[str]:
    return {f"{term} of start.log is not used: {why}" for term in terms}


def _kept() -> str:
    return api.observe(RECIPE, LOG, name="start.log").kept()


def test_planned_and_measured_stand_side_by_side() -> None:
    found = api.observe(RECIPE, LOG)
    by_name = {(each.name, each.unit): each for each in found.comparisons}
    weights = by_name["weights", "GiB"]
    assert (weights.measured, weights.least, weights.most, weights.ranks) == (7.6, 7.51, 7.6, 2)
    assert weights.planned is not None
    assert weights.difference == pytest.approx(weights.planned.value / 7.6 - 1)
    assert weights.inside is True
    tokens = by_name["pool", "tokens"]
    assert tokens.measured == 991232
    assert by_name["requests of 131,072 tokens", "requests"].inside is True
    assert by_name["loading weights", "s"].planned is None
    assert found.notes == ()


def test_what_was_measured_takes_the_place_of_estimates() -> None:
    (pool,) = api.memory(RECIPE, measured=[_kept()]).pools
    terms = {each.name: each for each in (*pool.memory.budget.terms, pool.memory.budget.pool)}
    assert {name: each.origin for name, each in terms.items()} == dict.fromkeys(terms, "measured")
    assert {each.origin_text for each in terms.values()} == {"measured, start.log"}
    assert terms["weights"].bytes.value == round(7.6 * GIB)
    assert terms["pool"].bytes.low < round(60.5 * GIB) < terms["pool"].bytes.high + 1
    assert pool.unused == ()
    # 131,072 bytes a token over two ranks.
    assert pool.memory.capacity.pool_tokens.value == pytest.approx(60.5 * GIB / 65536, abs=16)
    # What is left over still adds up to the device.
    budget = pool.memory.budget
    every = (*budget.terms, budget.pool, budget.unused)
    assert sum(each.bytes.value for each in every) == pytest.approx(budget.device.total_bytes, abs=0.11 * GIB)


def test_terms_of_another_launch_stay_estimates() -> None:
    report = api.memory(RECIPE, measured=[_kept()], set=["serve.max_num_seqs=64"])
    (pool,) = report.pools
    origins = {each.name: each.origin for each in (*pool.memory.budget.terms, pool.memory.budget.pool)}
    assert origins == {
        "driver": "measured",
        "weights": "measured",
        "activations": "calibrated",
        "cuda graphs": "calibrated",
        "non-torch": "measured",
        "pool": "calibrated",
    }
    assert set(pool.unused) == unused("requests was 1024, is 64", "activations", "cuda graphs", "pool")


def test_measured_weights_are_no_other_layouts() -> None:
    (pool,) = api.memory(RECIPE, measured=[_kept()], set=["parallel.tp=1"]).pools
    assert pool.memory.budget.term("weights").origin == "calibrated"
    assert set(pool.unused) == unused("tp was 2, is 1", "weights", *OF_A_LAUNCH)


def test_a_log_of_another_launch_is_said_to_be_one() -> None:
    text = LOG.replace("0.33.0", "0.31.0").replace("(0.92,", "(0.85,").replace("131,072", "65,536")
    found = api.observe(RECIPE, text, name="start.log")
    assert found.notes == (
        "the log is of vllm 0.31.0, the recipe of 0.33.0",
        "the engine was started with a share of 0.85, the recipe says 0.92",
        "max_model_len of the log is 65,536, of the recipe 131,072",
    )
    (pool,) = api.memory(RECIPE, measured=[found.kept()]).pools
    assert pool.memory.budget.term("pool").origin == "calibrated"
    assert set(pool.unused) == unused("version was 0.31.0, is 0.33.0", *OF_A_LAUNCH)


def test_sglang() -> None:
    recipe = RECIPE.replace('vllm, version: "0.33.0"', 'sglang, version: "0.5.23"')
    found = api.observe(recipe, BY_NAME["sglang with latents and states"])
    names = {(each.name, each.unit): each.measured for each in found.comparisons}
    assert names["pool", "GiB"] == pytest.approx(38.08)
    assert names["states", "slots"] == 124
    assert names["non-torch", "GiB"] == pytest.approx(1.17, abs=0.01)
    (pool,) = api.memory(recipe, measured=[found.kept()]).pools
    assert pool.memory.budget.term("pool").origin == "measured"


@pytest.mark.parametrize(
    ("recipe", "text", "role", "message", "fix"),
    [
        (RECIPE, "hello", None, "no line of vLLM or SGLang that tells of memory", "INFO"),
        (
            RECIPE,
            BY_NAME["sglang with latents and states"],
            None,
            "the log is of sglang, the recipe's engine is vllm",
            None,
        ),
        (RECIPE, LOG, "prefill", "the recipe has no pool prefill that can be planned", "serve"),
        (RECIPE.replace("h100", "nothing"), LOG, None, "no pool of the recipe can be planned", "check"),
    ],
)
def test_refusals(recipe: str, text: str, role: str | None, message: str, fix: str | None) -> None:
    with pytest.raises(InputError) as caught:
        api.observe(recipe, text, role=role)
    (finding,) = caught.value.findings
    assert finding.message == message
    assert (fix or "") in (finding.fix or "")


def test_measurements_of_another_pool_are_refused() -> None:
    with pytest.raises(InputError, match="pool decode was measured; the recipe has serve"):
        api.memory(RECIPE, measured=[_kept().replace("role: serve", "role: decode")])
