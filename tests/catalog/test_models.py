"""Every model file, and how models are found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from launchplan.catalog.load import DATA, gpus
from launchplan.catalog.models import Checkpoint, ModelEntry, ModelShelf, model, models, nearest_model
from launchplan.errors import CatalogError

HERE = Path(__file__).parent
TABLE: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "models.yaml").read_text())
ENTRIES: dict[str, Any] = json.loads((HERE / "model_entries.json").read_text())
ENGINE_CHOICES = yaml.safe_load((HERE / "model_parsers.yaml").read_text())
IDS = [entry.id for entry in models()]


def found(name: str) -> ModelEntry:
    entry = model(name)
    assert entry is not None
    return entry


def figures(entry: ModelEntry) -> dict[str, object]:
    read = entry.architecture()
    row: dict[str, object] = {
        "family": read.family,
        "layers": len(read.layers),
        "hidden": read.hidden_size,
        "heads": read.num_attention_heads,
        "kv_heads": read.num_key_value_heads,
        "context": read.derived_max_model_len,
    }
    if read.moe is not None:
        row |= {"experts": read.moe.num_experts, "per_token": read.moe.experts_per_token}
    if read.linear_attention is not None:
        row["recurrent"] = read.count_attention("gdn", "kda", "mamba2")
    return row


def stored(entry: ModelEntry, checkpoint: str) -> list[str]:
    quantization = entry.architecture(checkpoint).quantization
    return [quantization.method or "-", *quantization.formats]


@pytest.mark.parametrize("name", TABLE)
def test_key_figures(name: str) -> None:
    entry = found(name)
    assert figures(entry) == TABLE[name]["figures"]
    read = {each.id: stored(entry, each.id) for each in entry.checkpoints}
    assert read == TABLE[name]["checkpoints"]


def test_every_model_is_in_the_table() -> None:
    assert list(TABLE) == IDS


@pytest.mark.parametrize("name", ENTRIES)
def test_whole_entry(name: str) -> None:
    assert found(name).model_dump(mode="json", exclude_defaults=True) == ENTRIES[name]


def test_ids_are_the_paths() -> None:
    paths = {str(path.relative_to(DATA / "models")) for path in (DATA / "models").glob("*/*")}
    assert paths == {f"{name}.yaml" for name in IDS}


def test_no_name_is_given_twice() -> None:
    names = [name.lower() for entry in models() for name in (entry.id, *entry.aliases)]
    checkpoints = [each.id.lower() for entry in models() for each in entry.checkpoints]
    assert len(set(names)) == len(names)
    assert len(set(checkpoints)) == len(checkpoints)
    assert not {name for name in names if name in checkpoints} - {entry.id.lower() for entry in models()}


@pytest.mark.parametrize("name", IDS)
def test_config_and_parsers_are_those_of_the_engines(name: str) -> None:
    entry = found(name)
    assert entry.architecture().known
    for engine, parsers in entry.parsers.items():
        assert parsers.tools in {None, *ENGINE_CHOICES[engine]["tools"]}
        assert parsers.reasoning in {None, *ENGINE_CHOICES[engine].get("reasoning", [parsers.reasoning])}


@pytest.mark.parametrize("name", IDS)
def test_stated_format_agrees_with_the_settings(name: str) -> None:
    entry = found(name)
    for checkpoint in entry.checkpoints:
        formats = entry.architecture(checkpoint.id).quantization.formats
        if checkpoint.format == "mixed":
            assert len(formats) != 1
        else:
            assert formats == (("none",) if checkpoint.format == "bf16" else (checkpoint.format,))


@pytest.mark.parametrize("name", IDS)
def test_gpus_are_in_the_catalog_by_their_ids(name: str) -> None:
    entry = found(name)
    named = {mark.gpu for mark in entry.hardware} | {each for c in entry.checkpoints for each in c.gpus}
    assert named <= {each.id for each in gpus()}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("moonshotai/Kimi-K3", "moonshotai/Kimi-K3"),
        ("MoonshotAI/kimi-k3", "moonshotai/Kimi-K3"),
        ("kimi-k3", "moonshotai/Kimi-K3"),
        ("Inferact/Qwen3.8-2.4T-A95B-NVFP4", "Qwen/Qwen3.8-2.4T-A95B"),
        ("meta-llama/Llama-3.1-70B-Instruct", "meta-llama/Llama-3.1-70B"),
        ("meta-llama/Meta-Llama-3.1-8B", "meta-llama/Llama-3.1-8B"),
        ("somebody/else", None),
    ],
)
def test_look_up(name: str, expected: str | None) -> None:
    entry = model(name)
    assert (entry.id if entry else None) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("moonshotai/Kimi-K33", "moonshotai/Kimi-K3"),
        ("Kimi-K3", "moonshotai/Kimi-K3"),
        ("DeepSeek-V3", "deepseek-ai/DeepSeek-V3"),
        ("Qwen/Qwen3.8-2.4T-A95B-FP", "Qwen/Qwen3.8-2.4T-A95B-FP8"),
        ("gpt-oss-120B", "openai/gpt-oss-120b"),
        ("zzz", None),
    ],
)
def test_nearest(name: str, expected: str | None) -> None:
    assert nearest_model(name) == expected


def test_checkpoint_by_id_or_alias() -> None:
    entry = found("meta-llama/Llama-3.1-70B")
    assert [
        entry.checkpoint(name) for name in ("NVIDIA/llama-3.1-70b-instruct-fp8", "llama-3.1-70b", "x/y")
    ] == [
        entry.checkpoints[2],
        entry.checkpoints[0],
        None,
    ]


def test_architecture_of_a_checkpoint_is_kept_and_wrong_names_are_refused() -> None:
    entry = found("Qwen/Qwen3-235B-A22B")
    assert entry.architecture(entry.id) is entry.architecture(entry.id)
    assert entry.architecture("Qwen/Qwen3-235B-A22B-Instruct-2507").derived_max_model_len == 262144
    assert entry.architecture().derived_max_model_len == 40960
    with pytest.raises(CatalogError, match="model Qwen/Qwen3-235B-A22B has no checkpoint x/y; it has Qwen/"):
        entry.architecture("x/y")


def test_settings_that_were_not_read_are_said_to_be_unknown() -> None:
    read = found("deepseek-ai/DeepSeek-R1").architecture("nvidia/DeepSeek-R1-0528-NVFP4-v2")
    assert (read.quantization.method, read.quantization.format) == (None, "nvfp4")
    assert read.unknown == ("quantization.method",)


def test_exact_id_opens_its_own_file_only(tmp_path: Path) -> None:
    good = tmp_path / "lab" / "Small-1.5B.yaml"
    good.parent.mkdir()
    good.write_text(
        """
id: lab/Small-1.5B
title: Small
config: {architectures: [LlamaForCausalLM], hidden_size: 64, num_attention_heads: 4}
parameters: {}
modalities: [text]
checkpoints: [{id: lab/Small-1.5B, format: bf16}]
source: made for this test
checked: "2026-11-29"
"""
    )
    (tmp_path / "lab" / "Broken.yaml").write_text("id: 3")
    shelf = ModelShelf(tmp_path)
    entry = shelf.get("LAB/small-1.5b")
    assert entry is not None
    assert entry.architecture().head_dim == 16
    assert shelf.get("lab/other") is None
    with pytest.raises(CatalogError, match=r"Broken\.yaml"):
        shelf.all()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"bytes": 1}, "bytes and bytes_source go together"),
        ({"bytes_source": "a page"}, "bytes and bytes_source go together"),
        ({"quantization": {"quant_method": "fp8"}}, "a bf16 checkpoint has no quantization"),
    ],
)
def test_checkpoints_that_contradict_themselves(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Checkpoint(id="lab/model", format="bf16", **fields)
