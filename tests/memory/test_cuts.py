"""What holds of every cut: ranks together hold the model, more ranks hold less each."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from launchplan import catalog
from launchplan.memory.checkpoint import checkpoint_size
from launchplan.memory.sglang import SglangWeights, sglang_cut
from launchplan.memory.shares import make_stages
from launchplan.memory.vllm import VllmWeights, stage_layers, vllm_cut
from launchplan.memory.weights import Cut, RankWeights, rank_weights
from tests.memory.kit import architecture

CHECKPOINTS = tuple(
    each.id
    for entry in catalog.models()
    for each in entry.checkpoints
    if checkpoint_size(entry.architecture(each.id)) is not None
    # Its scales are four times as large in the files as in the engine.
    and entry.architecture(each.id).quantization.scale_bytes is None
)
# Engines keep some scales in fewer bytes than the checkpoint does.
SLACK = 0.999


def cuts(checkpoint: str, chosen: VllmWeights) -> tuple[Cut, ...]:
    model = architecture(checkpoint)
    stages = make_stages(stage_layers(len(model.layers), chosen.pp))
    return tuple(vllm_cut(model, chosen, stage) for stage in stages)


def held(checkpoint: str, cut: Cut) -> RankWeights:
    weights = rank_weights(architecture(checkpoint), cut)
    assert weights is not None
    return weights


def stored_bytes(checkpoint: str) -> int:
    """Give the bytes of a checkpoint without its prediction layers."""
    size = checkpoint_size(architecture(checkpoint))
    assert size is not None
    return size.total - size.by_class.get("mtp", 0)


@given(
    checkpoint=st.sampled_from(CHECKPOINTS),
    tp=st.sampled_from([1, 2, 4, 8, 16]),
    pp=st.sampled_from([1, 2, 3, 4]),
    dp=st.sampled_from([1, 2, 3]),
    expert_parallel=st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_ranks_hold_the_whole_model(
    checkpoint: str, tp: int, pp: int, dp: int, *, expert_parallel: bool
) -> None:
    chosen = VllmWeights(tp=tp, pp=pp, dp=dp, expert_parallel=expert_parallel)
    together = sum(held(checkpoint, cut).total for cut in cuts(checkpoint, chosen)) * tp * dp
    assert together >= stored_bytes(checkpoint) * SLACK


@pytest.mark.parametrize("checkpoint", CHECKPOINTS)
@pytest.mark.parametrize("expert_parallel", [False, True])
def test_more_ranks_hold_less_each(checkpoint: str, *, expert_parallel: bool) -> None:
    settings_ = VllmWeights(expert_parallel=expert_parallel)
    totals = []
    for tp in (1, 2, 4, 8):
        (cut,) = cuts(checkpoint, replace(settings_, tp=tp))
        # A tower whose heads don't split is whole on each rank, so it is left out here.
        totals.append(held(checkpoint, replace(cut, vision=False)).total)
    assert totals == sorted(totals, reverse=True)


@pytest.mark.parametrize("checkpoint", CHECKPOINTS)
def test_attention_data_parallel_costs_memory(checkpoint: str) -> None:
    model = architecture(checkpoint)
    (stage,) = make_stages(stage_layers(len(model.layers), 1))
    plain = held(checkpoint, sglang_cut(model, SglangWeights(tp=8), stage)).total
    by_data = held(checkpoint, sglang_cut(model, SglangWeights(tp=8, attention_dp=8), stage)).total
    assert by_data >= plain


def test_prediction_layers_are_loaded_when_asked_for() -> None:
    checkpoint = "deepseek-ai/DeepSeek-V3"
    (cut,) = cuts(checkpoint, VllmWeights(tp=8))
    (draft,) = cuts(checkpoint, VllmWeights(tp=8, mtp=True))
    assert "mtp" not in held(checkpoint, cut).by_class
    # One of 61 layers, without the copies of embedding and output layer that the checkpoint has.
    share = held(checkpoint, draft).by_class["mtp"] / held(checkpoint, cut).total
    assert share == pytest.approx(1 / 58, abs=0.003)


def test_the_stage_with_a_layer_more_holds_most() -> None:
    checkpoint = "deepseek-ai/DeepSeek-V3"
    totals = [held(checkpoint, cut).total for cut in cuts(checkpoint, VllmWeights(tp=8, pp=4))]
    # 61 layers are 15 + 15 + 16 + 15, and the first three are dense.
    assert totals.index(max(totals)) == 2


@pytest.mark.parametrize(
    ("layers", "pp", "sizes"), [(61, 4, (15, 15, 16, 15)), (9, 3, (3, 3, 3)), (10, 4, (2, 3, 3, 2))]
)
def test_layers_are_split_as_the_engine_splits_them(layers: int, pp: int, sizes: tuple[int, ...]) -> None:
    assert tuple(len(each) for each in stage_layers(layers, pp)) == sizes
