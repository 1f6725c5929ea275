"""Everything that a search offers passes the whole check; what it refuses fails by the rule that it names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from launchplan import api, catalog
from launchplan.catalog import Gpu
from launchplan.fit import verdicts
from launchplan.fit.answer import Fits
from launchplan.fit.candidate import recipe_data
from launchplan.fit.json_format import fits_json
from launchplan.fit.judge import judge
from launchplan.fit.recipes import recipe_files, recipe_text
from launchplan.fit.search import search
from launchplan.fit.shortlist import shortlist, with_fewer_gpus
from launchplan.fit.space import Limits, candidates, drafts_of, per_node
from launchplan.fit.text import fits_text
from tests.fit.spaces import ENGINES, GPUS, MODELS, question


def searched(model: str, gpu: str, engine: str, workload: str | None, max_gpus: int = 16) -> Fits:
    return api.fit(model, gpu=gpu, engine=engine, workload=workload, max_gpus=max_gpus, derived=True)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(MODELS), st.sampled_from([gpu.id for gpu in GPUS]), st.sampled_from(("vllm", "sglang")),
    st.sampled_from((None, "4x8k", "50x100k")),
)  # fmt: skip
def test_offers_pass_and_misses_fail(model: str, gpu: str, engine: str, workload: str | None) -> None:
    fits = searched(model, gpu, engine, workload)
    for offer in (*fits.offers, *fits.short):
        if offer.recipe is None:
            report = api.check(recipe_text(offer, "offer"))
            assert report.ok, (offer.candidate, report.findings)
            assert report.plan is not None
            assert report.plan.resolved.deployment.evidence is not None
            assert report.plan.resolved.deployment.evidence.status == "derived"
    for miss in fits.misses:
        if miss.finding is not None and miss.candidate is not None:
            question = fits.question
            assert miss.checkpoint is not None
            data = recipe_data(question, miss.candidate) | {"checkpoint": miss.checkpoint}
            codes = {each.code for each in api.check(data).findings if each.severity is api.Severity.ERROR}
            assert miss.finding.code in codes, (miss, codes)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(MODELS), st.sampled_from(GPUS), st.sampled_from(ENGINES), st.integers(0, 3))
def test_every_number_of_gpus_that_holds_the_model_is_offered(
    model: str, gpu: Gpu, engine: str, checkpoint: int
) -> None:
    """The whole check of every layout of a small space finds what the search finds."""
    asked, limits = question(model, engine, checkpoint), Limits(2)
    assert asked.entry is not None
    assert asked.checkpoint is not None
    architecture = asked.entry.architecture(asked.checkpoint)
    found = search(asked, architecture, [gpu], limits, lambda _text: None)
    assume(found.places)
    offered = {each.candidate.gpus for place in found.places for each in place.offers}
    every = candidates(gpu, per_node(gpu, limits), architecture, drafts_of(asked.entry), limits)
    judged = [judge(asked, each) for each in every]
    assert offered == {each.candidate.gpus for each in judged if each.ok and not each.is_empty}


def test_a_layout_that_holds_no_token_by_any_figure_is_no_offer() -> None:
    """The settings of this checkpoint are not known well enough for an error."""
    checkpoint = "nvidia/Llama-3.3-70B-Instruct-NVFP4"
    fits = api.fit(
        "meta-llama/Llama-3.3-70B-Instruct", gpu="rtx-4090", engine="sglang", checkpoint=checkpoint,
        max_gpus=2, derived=True,
    )  # fmt: skip
    assert not fits.offers
    (miss,) = fits.misses
    assert "by these figures it does not start, and they are not sure" in miss.reason
    assert fits_text(fits).count(miss.reason) == 1


def test_a_layout_that_may_hold_with_fewer_gpus_is_named() -> None:
    fits = api.fit(
        "meta-llama/Llama-3.3-70B-Instruct", gpu="h100-sxm", checkpoint="meta-llama/Llama-3.3-70B-Instruct",
        workload="4x8k", max_gpus=8, derived=True,
    )  # fmt: skip
    assert [each.candidate.gpus for each in shortlist(fits)] == [4]
    (fewer,) = with_fewer_gpus(fits)
    assert (fewer.candidate.gpus, fewer.judged.sure) == (2, False)
    line = "may hold with fewer GPUs:\n  2xh100-sxm, tp 2, Llama-3.3-70B-Instruct: "
    assert fits_text(fits).count(line) == 1
    assert line not in fits_text(fits, everything=True)


def test_no_offer_is_beaten_on_the_front() -> None:
    fits = searched("openai/gpt-oss-120b", "h200", "vllm", "20x8k")
    assert fits.front
    for offer in fits.front:
        better = [
            other
            for other in fits.front
            if other is not offer
            and other.judged.question.checkpoint == offer.judged.question.checkpoint
            and other.candidate.gpus < offer.candidate.gpus
            and other.judged.sure >= offer.judged.sure
            and other.requests.value > offer.requests.value
            and (other.judged.tokens_per_s_per_user or 0) > (offer.judged.tokens_per_s_per_user or 0)
        ]
        assert not better


def test_prices_order_the_rows() -> None:
    prices = {"h200": 9.0, "b200": 1.0}
    fits = api.fit(
        "openai/gpt-oss-120b", gpu=["h200", "b200"], max_gpus=2, prices=prices, derived=True, workload="4x8k"
    )
    costs = [each.price_per_hour for each in fits.offers if each.recipe is None]
    assert costs == sorted(costs, key=lambda cost: cost or 0.0)
    first = fits.offers[0]
    assert (first.candidate.gpu.id, first.price_per_hour) == ("b200", float(first.candidate.gpus))


def test_recipes_have_names_of_their_own(tmp_path: Path) -> None:
    fits = searched("openai/gpt-oss-120b", "h200", "vllm", None, max_gpus=4)
    files = recipe_files(fits, fits.front)
    assert len(files) == len([each for each in fits.front if each.recipe is None])
    for name, text in files.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        report = api.check(path)
        assert report.ok
        assert report.plan is not None
        assert report.plan.recipe.value.name == path.stem


def test_a_vendor_whose_memory_is_not_known_takes_no_offer_from_another() -> None:
    fits = api.fit("Qwen/Qwen3-8B", gpu=["mi355x", "h200"], engine="sglang", max_gpus=1, derived=True)
    assert {each.candidate.gpu.id for each in fits.offers} == {"h200"}
    (miss,) = fits.misses
    assert miss.gpu == "mi355x"
    assert miss.reason.endswith("or what sglang settles by itself on this GPU, are not known")


def test_an_offer_says_whether_its_draft_is_counted() -> None:
    fits = api.fit("moonshotai/Kimi-K2.5", gpu="b300", max_gpus=8, derived=True)
    drafting = [each for each in fits.offers if each.candidate.speculative is not None]
    assert drafting
    for offer in drafting:
        assert (offer.judged.draft_counted, offer.judged.sure) == (False, False)
    assert {each.judged.draft_counted for each in fits.offers if each.candidate.speculative is None} == {None}
    text, report = fits_text(fits, everything=True), json.loads(fits_json(fits))
    rows = [line for line in text.splitlines() if "eagle3" in line]
    assert rows
    assert all(line.endswith("draft not counted") for line in rows)
    assert "\ndraft not counted: " in text
    counted = [each["speculative"]["memory_counted"] for each in report["offers"] if each["speculative"]]
    assert counted == [False] * len(drafting)


def test_prediction_layers_of_the_model_are_counted() -> None:
    fits = api.fit("deepseek-ai/DeepSeek-V3.2", gpu="b300", max_gpus=8, derived=True)
    drafting = [each for each in fits.offers if each.candidate.speculative is not None]
    assert drafting
    assert {each.judged.draft_counted for each in drafting} == {True}
    assert "draft not counted" not in fits_text(fits, everything=True)


def test_without_derived_only_gpus_with_evidence_are_searched() -> None:
    fits = api.fit("Qwen/Qwen3-235B-A22B", gpu=["h200", "l4"], max_gpus=8)
    assert fits.unevidenced == ("l4",)
    assert {each.candidate.gpu.id for each in fits.offers} == {"h200"}
    assert {each.evidence for each in fits.offers} == {"derived"}


def test_requests_at_once_are_lowered_to_the_blocks_for_recurrent_state() -> None:
    offer = searched("Qwen/Qwen3.6-27B", "rtx-5090", "vllm", "4x32k", max_gpus=1).minimum
    assert offer is not None
    requests = offer.judged.question.max_num_seqs
    assert requests is not None
    assert 4 <= requests < 256
    assert f"max_num_seqs: {requests}" in recipe_text(offer, "offer")
    more = searched("Qwen/Qwen3.6-27B", "rtx-5090", "vllm", "200x1k", max_gpus=1)
    assert not more.offers
    assert "MEM206" in {miss.finding.code for miss in more.misses if miss.finding}


def test_the_shortlist_has_one_row_of_each_gpu_and_checkpoint() -> None:
    fits = searched("openai/gpt-oss-120b", "h200", "vllm", "20x8k")
    rows = [each for each in shortlist(fits) if each.recipe is None]
    assert len({(each.candidate.gpu.id, each.judged.question.checkpoint) for each in rows}) == len(rows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": "nobody/nothing"}, "'nobody/nothing' is no model of the catalog"),
        ({"model": "Qwen/Qwen3-8B", "gpu": "h999"}, "'h999' is no GPU of the catalog"),
        ({"model": "Qwen/Qwen3-8B", "engine": "tgi"}, "'tgi' is no engine"),
        ({"model": "Qwen/Qwen3-8B", "max_gpus": 0}, "0 GPUs are out of range"),
        ({"model": "Qwen/Qwen3-8B", "max_gpus": 10**9}, "1000000000 GPUs are out of range"),
        ({"model": "Qwen/Qwen3-8B", "prices": {"h200": "free"}}, "'free' is no price of a h200"),
        ({"model": "Qwen/Qwen3-8B", "prices": {"h200": -1}}, "'-1' is no price of a h200"),
        ({"model": "Qwen/Qwen3-8B", "prices": {"h999": 1}}, "'h999' is no GPU of the catalog"),
    ],
)
def test_a_wrong_name_is_told(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(api.InputError) as caught:
        api.fit(**arguments)  # type: ignore[arg-type]
    assert message in caught.value.findings[0].message


def test_a_model_that_is_a_path_is_reached_from_the_recipes_folder(tmp_path: Path) -> None:
    entry = catalog.model("Qwen/Qwen3-8B")
    assert entry is not None
    (tmp_path / "config.json").write_text(json.dumps(dict(entry.config)), encoding="utf-8")
    fits = api.fit(str(tmp_path / "config.json"), gpu="h200", max_gpus=1, derived=True)
    folder = tmp_path / "found"
    folder.mkdir()
    for name, text in recipe_files(fits, shortlist(fits), "../config.json").items():
        (folder / name).write_text(text, encoding="utf-8")
        assert api.check(folder / name).ok
    assert list(folder.iterdir())


@pytest.mark.parametrize(("model", "engine"), [("zai-org/GLM-5", "sglang"), ("openai/gpt-oss-120b", "vllm")])
@pytest.mark.parametrize("patience", [0, 4])
def test_rules_that_rest_hide_nothing(
    monkeypatch: pytest.MonkeyPatch, model: str, engine: str, patience: int
) -> None:
    """A rule that refuses what is offered is asked again, and what it refuses makes room for what it takes."""

    def found() -> str:
        fits = api.fit(model, gpu=["h200", "t4"], engine=engine, max_gpus=32, derived=True)
        return fits_text(fits, everything=True)

    always = found()
    monkeypatch.setattr(verdicts, "_PATIENCE", patience)
    assert found() == always
