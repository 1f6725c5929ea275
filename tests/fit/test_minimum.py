"""The fewest GPUs that `fit` finds are never more than what somebody has run the model on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan import api

VERIFIED: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parent / "verified.yaml").read_text(encoding="utf-8")
)
RECIPES: dict[str, dict[str, int]] = VERIFIED["recipes"]
PUBLISHED: list[dict[str, Any]] = VERIFIED["published"]


@pytest.mark.parametrize("model", RECIPES)
def test_verified_hardware_holds_the_model(model: str) -> None:
    counts = RECIPES[model]
    fits = api.fit(model, gpu=list(counts), max_gpus=max(counts.values()), derived=True)
    least = {
        gpu: min((each.candidate.gpus for each in fits.offers if each.candidate.gpu.id == gpu), default=None)
        for gpu in counts
    }
    larger = {gpu: found for gpu, found in least.items() if found is None or found > counts[gpu]}
    assert not larger


@pytest.mark.parametrize("run", PUBLISHED, ids=lambda run: f"{run['gpus']}x{run['gpu']}-{run['engine']}")
def test_published_deployments_are_found_and_come_first(run: dict[str, Any]) -> None:
    fits = api.fit(
        run["model"], gpu=run["gpu"], checkpoint=run.get("checkpoint"), engine=run["engine"], max_gpus=16
    )
    assert fits.minimum is not None
    assert fits.minimum.candidate.gpus <= run["gpus"]
    kinds = [each.evidence == "derived" for each in fits.offers]
    assert kinds == sorted(kinds), "published layouts come first"


def test_the_documented_set_of_one_model() -> None:
    fits = api.fit("Qwen/Qwen3.8-2.4T-A95B", max_gpus=16)
    published = {(each.candidate.gpus, each.candidate.gpu.id) for each in fits.offers if each.recipe}
    assert published == {(8, "b300"), (8, "gb300"), (16, "b300"), (16, "gb300"), (12, "gb300"), (8, "mi355x")}
    assert {each.candidate.gpu.id for each in fits.offers} == {"b300", "gb300", "mi355x"}
    assert {"h100-sxm", "h200", "b200", "a100-80gb-sxm"} <= set(fits.unevidenced)
    assert all(each.evidence == "derived" for each in fits.offers if each.recipe is None)
