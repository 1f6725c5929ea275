"""Models and draft models that a command names as folders of this machine, or of another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from launchplan import api, catalog


def folder(place: Path, model: str, **changed: object) -> str:
    """Write a catalog model's configuration as a checkpoint's folder has it."""
    entry = catalog.model(model)
    assert entry is not None
    place.mkdir()
    (place / "config.json").write_text(json.dumps({**entry.config, **changed}), encoding="utf-8")
    return str(place)


def errors(command: str) -> list[str]:
    report = api.lint(command, gpu="h200", gpus_per_node=8, memory=False)
    return [each.code for each in report.findings if each.severity is api.Severity.ERROR]


def test_a_folder_of_this_machine_is_read(tmp_path: Path) -> None:
    model = folder(tmp_path / "model", "meta-llama/Llama-3.1-8B")
    assert errors(f"vllm serve {model} -tp 8") == []
    assert errors(f"vllm serve {model} -tp 5") == ["PAR101"]
    assert errors(f"sglang serve --model-path {model} --tp 3") == ["PAR101"]


@pytest.mark.parametrize("path", ["/models/llama", "~nobody/llama", "./llama", "models/meta/llama"])
def test_a_folder_of_another_machine_is_a_model_that_nobody_knows(path: str) -> None:
    assert errors(f"vllm serve {path} -tp 5") == []
    assert errors(f"sglang serve --model-path {path} --tp 3") == []


@pytest.mark.parametrize("name", ["served", "meta/llama"])
def test_a_folder_that_only_has_the_name_is_not_the_model(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = f"vllm serve {name} -tp 5 --max-model-len 4096 --tokenizer served"
    before, report = api.to_recipe(command), api.lint(command)
    (tmp_path / name).mkdir(parents=True)
    (tmp_path / "model").touch()
    monkeypatch.chdir(tmp_path)
    assert api.to_recipe(command) == before
    assert before.unsaid == ()
    assert api.lint(command) == report


def test_a_folder_whose_configuration_is_broken_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{", encoding="utf-8")
    report = api.lint(f"vllm serve {tmp_path}")
    assert [each.code for each in report.findings] == ["REC002"]


def drafted(draft: str) -> str:
    config = json.dumps({"model": draft, "num_speculative_tokens": 3, "draft_tensor_parallel_size": 8})
    return f"vllm serve meta-llama/Llama-3.1-70B -tp 8 --speculative-config '{config}'"


def test_a_draft_folder_is_read(tmp_path: Path) -> None:
    assert errors(drafted(folder(tmp_path / "same", "meta-llama/Llama-3.1-8B"))) == []
    assert errors(drafted(folder(tmp_path / "odd", "meta-llama/Llama-3.1-8B", vocab_size=1000))) != []
    assert errors(drafted("/elsewhere/draft")) == []


def test_a_draft_of_the_catalog_counts_into_memory() -> None:
    command = "sglang serve --model-path meta-llama/Llama-3.1-70B --tp 8"
    drafting = (
        f"{command} --speculative-algorithm STANDALONE --speculative-draft-model-path meta-llama/Llama-3.1-8B"
    )
    alone, both = (api.lint(each, gpu="h200", gpus_per_node=8).plan for each in (command, drafting))
    assert alone is not None
    assert both is not None
    assert alone.resolved.pools[0].draft is None
    assert both.resolved.pools[0].draft is not None


def test_a_configuration_that_changed_is_read_again(tmp_path: Path) -> None:
    entry = catalog.model("meta-llama/Llama-3.1-8B")
    assert entry is not None
    file = tmp_path / "config.json"
    found = []
    for heads in (32, 24):
        file.write_text(json.dumps({**entry.config, "num_attention_heads": heads}), encoding="utf-8")
        report = api.lint("vllm serve some/model -tp 16", model_config=file, memory=False)
        found.append([each.code for each in report.findings if each.severity is api.Severity.ERROR])
    assert found == [[], ["PAR101"]]


def test_another_folder_leads_to_another_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for name, heads in (("one", 32), ("two", 24)):
        folder(tmp_path / name, "meta-llama/Llama-3.1-8B", num_attention_heads=heads)
        monkeypatch.chdir(tmp_path / name)
        report = api.lint("vllm serve some/model -tp 16", model_config="config.json", memory=False)
        found.append([each.code for each in report.findings if each.severity is api.Severity.ERROR])
    assert found == [[], ["PAR101"]]
