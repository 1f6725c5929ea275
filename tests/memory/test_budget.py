"""The budget of a rank: terms that add up, intervals that hold, and what they leave for the pool."""

from __future__ import annotations

from dataclasses import replace

import pytest

from launchplan import catalog
from launchplan.memory.activations import Batch, activation_bytes, least_activation_bytes
from launchplan.memory.budget import (
    Device,
    before_bytes,
    driver_term,
    graphs_term,
    non_torch_term,
    weights_term,
)
from launchplan.memory.capacity import Lengths
from launchplan.memory.sglang import SglangWeights
from launchplan.memory.sglang.budget import sglang_choices, sglang_memory
from launchplan.memory.terms import Interval
from launchplan.memory.vllm.budget import vllm_choices, vllm_memory
from launchplan.memory.vllm.graphs import capture_sizes, captured_graphs
from launchplan.memory.weights import RankWeights
from launchplan.units import GIB
from tests.memory.truth import ROWS, predicted, sglang_inputs, vllm_inputs

BY_ID = {row["id"]: row for row in ROWS}
LLAMA = vllm_inputs(BY_ID["M072"] | {"total": 80})
KIMI = sglang_inputs(BY_ID["K3-H200"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["id"]))
def test_terms_and_pool_fill_the_device(row: dict[str, object]) -> None:
    budget = predicted(row).budget
    counted = (*budget.terms, budget.pool, budget.unused)
    assert sum(term.bytes.value for term in counted) == pytest.approx(
        budget.device.total_bytes, abs=0.11 * GIB
    )
    for term in counted:
        assert term.bytes.low <= term.bytes.value <= term.bytes.high, term.name


def test_interval_arithmetic() -> None:
    left, right = Interval(10, 8, 13), Interval(1, 0, 5)
    assert left + right == Interval(11, 8, 18)
    assert left.taken_from(20) == Interval(10, 7, 12)


def test_pool_is_the_share_less_what_is_taken() -> None:
    memory = vllm_memory(LLAMA)
    assert memory is not None
    budget = memory.budget
    taken = sum(
        budget.term(name).bytes.value for name in ("weights", "activations", "cuda graphs", "non-torch")
    )
    assert budget.pool.bytes.value == int(0.92 * 80 * GIB) - taken
    assert budget.term("weights").origin_text == "calibrated on 22 logs"


def test_graphs_are_not_taken_from_the_pool_of_old_engines() -> None:
    now, before = vllm_memory(LLAMA), vllm_memory(replace(LLAMA, graphs_counted=False))
    assert now is not None
    assert before is not None
    graphs = now.budget.term("cuda graphs").bytes.value
    assert before.budget.pool.bytes.value - now.budget.pool.bytes.value == graphs


def test_a_given_pool_is_exact() -> None:
    memory = vllm_memory(replace(LLAMA, pool_bytes=16 * GIB))
    assert memory is not None
    assert memory.budget.pool.bytes == Interval.exactly(16 * GIB)
    assert memory.capacity.pool_tokens.value == 131072


@pytest.mark.parametrize(("largest", "count"), [(1, 1), (4, 3), (16, 5), (256, 35), (512, 51)])
def test_captured_sizes(largest: int, count: int) -> None:
    assert len(capture_sizes(largest)) == count


@pytest.mark.parametrize(
    ("mode", "settings", "count"),
    [
        ("FULL_AND_PIECEWISE", {"requests": 256}, 51 + 35),
        ("FULL_AND_PIECEWISE", {"requests": 1024}, 51 + 51),
        ("FULL_AND_PIECEWISE", {"requests": 8, "tokens": 7}, 51 + 7),  # 8 to 56 of seven tokens a request
        ("FULL_AND_PIECEWISE", {"requests": 256, "kinds": 2}, 2 * (51 + 35)),
        ("PIECEWISE", {"requests": 256}, 51),
        ("FULL_DECODE_ONLY", {"requests": 256}, 35),
        ("FULL", {"requests": 256}, 51),
        ("NONE", {"requests": 256}, 0),
    ],
)
def test_captured_graphs(mode: str, settings: dict[str, int], count: int) -> None:
    assert captured_graphs(mode, capture_sizes(512), **settings) == count


def test_a_graph_takes_more_where_an_older_driver_may_run_it() -> None:
    known = catalog.calibration()
    now, early = (graphs_term(64, 86, known, early=each).bytes for each in (False, True))
    assert early.value > now.value
    assert early.high > now.high


def test_graphs_of_dense_models_have_the_lower_high_end() -> None:
    known = catalog.calibration()
    dense, routed = (graphs_term(64, 86, known, experts=each).bytes for each in (False, True))
    assert (dense.value, dense.low) == (routed.value, routed.low)
    assert dense.high < routed.high


def test_terms_without_a_cause_are_nothing() -> None:
    known = catalog.calibration()
    assert graphs_term(64, 0, known).bytes == Interval.exactly(0)
    assert driver_term(Device(GIB, as_cuda_sees_it=True), known).bytes == Interval.exactly(0)
    assert non_torch_term(8, known.vllm).bytes == non_torch_term(16, known.vllm).bytes


def test_capacity_at_the_workload() -> None:
    inputs = replace(LLAMA, lengths=Lengths(131072, 4096, 32768))
    memory = vllm_memory(inputs)
    assert memory is not None
    found = {each.name: (each.tokens, each.limit) for each in memory.capacity.concurrency}
    assert found == {
        "mean": (4096, "pool"),
        "tail": (32768, "pool"),
        "max_model_len": (131072, "pool"),
    }
    mean = memory.capacity.of("mean")
    assert mean is not None
    assert mean.request_bytes == 4096 * 131072
    few = vllm_memory(replace(inputs, max_num_seqs=2))
    assert few is not None
    limited = few.capacity.of("mean")
    assert limited is not None
    assert (limited.requests.value, limited.limit) == (2, "max_num_seqs")


def test_choices_of_vllm() -> None:
    before = vllm_memory(LLAMA)
    assert before is not None
    found = {choice.name: choice.pool_tokens.value for choice in vllm_choices(LLAMA)}
    assert set(found) == {"serve.kv_cache_dtype: fp8", "parallel.tp: 2"}
    assert found["serve.kv_cache_dtype: fp8"] == pytest.approx(2 * before.capacity.pool_tokens.value, abs=32)
    assert found["parallel.tp: 2"] > 2 * before.capacity.pool_tokens.value


def test_choices_of_sglang() -> None:
    before = sglang_memory(KIMI)
    assert before is not None
    found = {choice.name: choice.pool_tokens.value for choice in sglang_choices(KIMI)}
    assert found["parallel.dcp: 16"] == 16 * before.capacity.pool_tokens.value
    assert found["serve.kv_cache_dtype: fp8_e4m3"] == pytest.approx(
        2 * before.capacity.pool_tokens.value, abs=1
    )


def test_the_stage_that_limits_the_pool_is_reported() -> None:
    memory = vllm_memory(replace(LLAMA, weights=replace(LLAMA.weights, pp=2)))
    assert memory is not None
    assert memory.stages == 2
    assert memory.budget.by_class["attention"] > 0


def test_a_step_takes_no_less_than_one_mlp_of_a_dense_model() -> None:
    model = LLAMA.model  # 4096 wide, an MLP of 14336
    compiled = least_activation_bytes(model, Batch(8192, 256))
    assert compiled == 8192 * 2 * 3 * 14336
    assert least_activation_bytes(model, Batch(8192, 256, eager=True)) == compiled + 8192 * 2 * 3 * 4096
    assert least_activation_bytes(model, Batch(8192, 256, tp=2)) == compiled // 2
    assert least_activation_bytes(KIMI.model, Batch(8192, 256, eager=True)) == 0  # experts: not known
    memory = vllm_memory(replace(LLAMA, eager=True, batch_tokens=8192))
    assert memory is not None
    assert memory.budget.term("activations").bytes.low >= compiled + 8192 * 2 * 3 * 4096


def test_a_sampler_that_sorts_takes_more() -> None:
    model = LLAMA.model
    draws = activation_bytes(model, Batch(512, 256))
    searches = activation_bytes(model, Batch(512, 256, sampler="searches"))
    sorts = activation_bytes(model, Batch(512, 256, sampler="sorts"))
    assert draws == Interval.exactly(256 * 128256 * 6)
    assert searches == Interval(256 * 128256 * 15, 256 * 128256 * 6, 256 * 128256 * 16)
    assert sorts == Interval(256 * 128256 * 39, 256 * 128256 * 6, 256 * 128256 * 49)


def test_weights_are_no_less_than_their_parameters_where_formats_are_known() -> None:
    known = catalog.calibration().vllm
    weights = RankWeights({"mlp": 100 * GIB})
    assert weights_term(weights, 0, known).bytes.low == 100 * GIB
    unsure = weights_term(replace(weights, uncertain=("settings are not known",)), 0, known).bytes
    assert unsure.low < 100 * GIB < unsure.value < unsure.high


def test_sglang_sizes_its_pool_beside_the_drafts_own_embedding_and_head() -> None:
    inputs = sglang_inputs(BY_ID["M113"] | {"seqs": 1})
    model = inputs.model
    before, after = (sglang_memory(replace(inputs, weights=SglangWeights(mtp=mtp))) for mtp in (False, True))
    assert before is not None
    assert after is not None
    added = after.budget.term("weights").bytes.value - before.budget.term("weights").bytes.value
    assert model.vocab_size is not None
    assert model.hidden_size is not None
    both = 2 * model.vocab_size * model.hidden_size * 2
    assert added == after.budget.by_class["mtp"] + both


def test_what_stands_before_the_engine_looks() -> None:
    known = catalog.calibration()
    assert before_bytes(1, known.vllm).value < before_bytes(2, known.vllm).value
    assert before_bytes(8, known.sglang) == Interval.exactly(0)
