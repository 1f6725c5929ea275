"""Whole configs of every family, each compared field by field with what it must be read as."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml

from launchplan.architecture import Architecture, read_architecture
from launchplan.architecture.families import FAMILIES

CASES: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())


def places(text: str) -> list[int]:
    """Expand `3..91/4` and single numbers."""
    found: list[int] = []
    for span in text.split():
        first, _, rest = span.partition("..")
        last, _, step = (rest or first).partition("/")
        found += range(int(first), int(last) + 1, int(step or 1))
    return found


def expand(kinds: dict[str, str], count: int) -> list[str]:
    layers = [kinds["rest"]] * count
    for kind, text in kinds.items():
        for place in places(text) if kind != "rest" else ():
            layers[place] = kind
    return layers


def stated(value: object) -> object:
    """Leave out what is None, false or empty, and turn tuples into lists, as the case file does."""
    if isinstance(value, dict):
        return {key: stated(item) for key, item in value.items() if item not in (None, False, (), {})}
    return list(value) if isinstance(value, tuple) else value


def summary(model: Architecture) -> object:
    found = asdict(replace(model, dims={}, lists={}))
    layers = found.pop("layers")
    found["attention"] = tuple(layer["attention"] for layer in layers)
    found["mlp"] = tuple(layer["mlp"] for layer in layers)
    found["quantization"]["modules"] = dict(found["quantization"]["modules"])
    return stated(found)


@pytest.mark.parametrize("name", CASES)
def test_config_is_read_as_expected(name: str) -> None:
    case = CASES[name]
    expected = dict(case["expect"])
    for part in ("attention", "mlp"):
        expected[part] = expand(expected[part], expected["num_hidden_layers"])
    assert summary(read_architecture(case["config"], case.get("hf_quant_config"))) == expected


def test_raw_dimensions_stay_reachable() -> None:
    model = read_architecture(CASES["moonshotai/Kimi-K3"]["config"])
    wanted = (
        "routed_expert_hidden_size",
        "linear_attn_config.short_conv_kernel_size",
        "vision_config.vt_hidden_size",
    )
    assert [model.dims[key] for key in wanted] == [3584, 4, 1024]
    assert model.lists["linear_attn_config.full_attn_layers"][-3:] == (88, 92, 93)
    assert isinstance(model.dims, MappingProxyType)
    assert isinstance(model.lists, MappingProxyType)


def test_a_list_of_blocks_becomes_columns() -> None:
    model = read_architecture(CASES["nvidia/Llama-3_3-Nemotron-Super-49B-v1"]["config"])
    assert model.lists["block_configs.ffn.ffn_mult"][:3] == (2.625, 5.25, 5.25)
    assert model.lists["block_configs.attention.n_heads_in_group"][5:8] == (8, None, None)


def test_every_family_has_a_case() -> None:
    # These take the keys of a family that has one, and differ in the interval only.
    alike = {"mistral", "gemma2", "gemma3"}
    assert {family.name for family in FAMILIES} - alike == {
        case["expect"]["family"] for case in CASES.values()
    }


def test_no_name_belongs_to_two_families() -> None:
    classes = [name for family in FAMILIES for name in family.architectures]
    types = [name for family in FAMILIES for name in family.model_types]
    assert len(set(classes)) == len(classes)
    assert len(set(types)) == len(types)


def test_counts_of_layers() -> None:
    model = read_architecture(CASES["moonshotai/Kimi-K3"]["config"])
    assert (model.count_attention("kda"), model.count_attention("mla"), model.count_mlp("moe")) == (
        69,
        24,
        92,
    )
    assert (model.is_hybrid, model.is_mla, model.is_moe, model.known) == (True, True, True, True)
