"""References of a recipe are looked up once, and what was left out has an origin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from launchplan.errors import InputError
from launchplan.recipe import load_cluster, load_recipe
from launchplan.resolve import Resolved, origins, resolve

BASE: dict[str, Any] = {
    "launchplan": 1,
    "name": "case",
    "model": "Qwen/Qwen3-32B",
    "engine": {"name": "vllm", "version": "0.33.0"},
    "hardware": {"gpu": "h200"},
}
TINY = {
    "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "intermediate_size": 128,
    "vocab_size": 512,
    "max_position_embeddings": 512,
}


def resolved(cluster: dict[str, Any] | None = None, **sections: Any) -> Resolved:
    site = load_cluster({"launchplan": 1, "name": "site", **cluster}) if cluster else None
    return resolve(load_recipe(BASE | sections), site)


def test_catalog_models_and_checkpoints() -> None:
    deployment = resolved(checkpoint="Qwen/Qwen3-32B-FP8").deployment
    assert deployment.model is not None
    assert deployment.checkpoint_facts is not None
    assert deployment.architecture is not None
    assert (deployment.model.id, deployment.checkpoint_facts.id) == ("Qwen/Qwen3-32B", "Qwen/Qwen3-32B-FP8")
    assert deployment.architecture.quantization.format == "fp8"
    own = resolved().deployment
    assert own.architecture is not None
    assert (own.checkpoint, own.architecture.quantization.format) == ("Qwen/Qwen3-32B", "none")


def test_a_checkpoint_id_names_its_model() -> None:
    deployment = resolved(model="Qwen/Qwen3-32B-FP8").deployment
    assert deployment.model is not None
    assert (deployment.model.id, deployment.checkpoint) == ("Qwen/Qwen3-32B", "Qwen/Qwen3-32B-FP8")


def test_an_unknown_checkpoint_is_still_loaded() -> None:
    deployment = resolved(checkpoint="someone/Qwen3-32B-tuned").deployment
    assert (deployment.checkpoint, deployment.checkpoint_facts) == ("someone/Qwen3-32B-tuned", None)
    assert deployment.architecture is not None
    assert deployment.architecture.num_attention_heads == 64
    # Nobody has read how its weights are stored: not as those of the model's own checkpoint.
    assert deployment.architecture.quantization.format is None
    assert "quantization.method" in deployment.architecture.unknown


def test_models_on_disk(tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "config.json").write_text(json.dumps(TINY), "utf-8")
    recipe = tmp_path / "recipe.yaml"
    for written, loaded in (("./tiny", "./tiny"), ("tiny/config.json", "tiny")):
        recipe.write_text(json.dumps(BASE | {"model": written}), "utf-8")
        deployment = resolve(load_recipe(recipe)).deployment
        assert deployment.architecture is not None
        assert (deployment.architecture.num_attention_heads, deployment.checkpoint) == (4, loaded)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("./nowhere", "model is './nowhere', where there is no config.json"),
        ("./empty", "model is './empty', where there is no config.json"),
        ("./bad.json", "not JSON: expecting property name enclosed in double quotes"),
        ("./list.json", "list.json is not the JSON object of a model configuration"),
    ],
)
def test_model_paths_that_hold_none(tmp_path: Path, model: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.json").write_text("{oops", "utf-8")
    (tmp_path / "list.json").write_text("[]", "utf-8")
    (tmp_path / "r.yaml").write_text(json.dumps(BASE | {"model": model}), "utf-8")
    with pytest.raises(InputError) as caught:
        resolve(load_recipe(tmp_path / "r.yaml"))
    (found,) = caught.value.findings
    assert found.message.removeprefix(f"{tmp_path}/") == message
    assert found.location is not None


def test_hf_overrides_change_the_architecture() -> None:
    plain, wide = resolved(), resolved(serve={"hf_overrides": {"max_position_embeddings": 131072}})
    assert plain.pools[0].architecture is not None
    assert wide.pools[0].architecture is not None
    assert plain.pools[0].architecture.derived_max_model_len == 40960
    assert wide.pools[0].architecture.derived_max_model_len == 131072


def test_what_the_catalog_does_not_know_stays_unknown() -> None:
    case = resolved(model="someone/new-model", hardware={"gpu": "h300", "nodes": 2, "fabric": "warp"})
    (pool,) = case.pools
    assert (case.deployment.model, case.deployment.architecture, case.deployment.checkpoint) == (
        None,
        None,
        "someone/new-model",
    )
    assert (pool.gpu, pool.fabric, pool.gpus_per_node, pool.gpus) == (None, None, None, None)


@pytest.mark.parametrize(
    ("hardware", "cluster", "fabric", "origin"),
    [
        ({"gpu": "h200"}, None, None, []),
        ({"gpu": "h200", "fabric": "infiniband"}, {"network": {"fabric": "roce"}}, "ib", []),
        ({"gpu": "h200"}, {"network": {"fabric": "roce"}}, "roce-generic", [("cluster", "network.fabric")]),
        ({"gpu": "h200"}, {"preset": "aws-p5en.48xlarge"}, "aws-efa", [("cluster", "preset aws-p5en.48xlarge")]),
        ({"gpu": "gb300"}, None, "mnnvl-nvl72", [("catalog", "multi-node NVLink of GB200 and GB300 NVL72")]),
        ({"gpu": "gb300", "fabric": "infiniband"}, None, "ib", []),
    ],
)  # fmt: skip
def test_the_fabric_is_the_most_specific_one(
    hardware: dict[str, Any],
    cluster: dict[str, Any] | None,
    fabric: str | None,
    origin: list[tuple[str, str]],
) -> None:
    case = resolved(cluster, hardware=hardware)
    (pool,) = case.pools
    assert (pool.fabric.id if pool.fabric else None) == fabric
    told = [(each.origin, each.note) for each in origins(case) if each.key == "hardware.fabric"]
    assert told == origin


def test_pools_have_their_own_share_and_inherit_the_rest() -> None:
    case = resolved(
        hardware={"gpu": "h200", "nodes": 2, "gpus_per_node": 4},
        args={"seed": 1, "vllm": {"block-size": 32}, "sglang": {"page-size": 1}},
        env={"A": "1", "B": "1"},
        pools={
            "prefill": {"hardware": {"nodes": 1}, "args": {"--seed": 2}, "env": {"A": "2"}},
            "decode": {"hardware": {"gpu": "b200"}, "replicas": 3},
        },
    )
    prefill, decode = case.pools
    assert (prefill.role, prefill.nodes, prefill.gpus_per_node, prefill.gpus) == ("prefill", 1, 4, 4)
    assert (decode.gpu_name, decode.nodes, decode.gpus_per_node, decode.replicas) == ("b200", 2, 8, 3)
    assert (prefill.args, decode.args) == ({"seed": 2, "block-size": 32}, {"seed": 1, "block-size": 32})
    assert prefill.arg_paths == {
        "seed": ("pools", "prefill", "args", "--seed"),
        "block-size": ("args", "vllm", "block-size"),
    }
    assert (prefill.env, decode.env) == ({"A": "2", "B": "1"}, {"A": "1", "B": "1"})


def test_every_derived_value_says_where_it_came_from() -> None:
    case = resolved(engine={"name": "vllm"}, hardware={"gpu": "gb300", "nodes": 2}, parallel={"tp": 8})
    assert [(o.key, o.value, o.origin, o.note) for o in origins(case)] == [
        ("engine.version", "0.33.0", "catalog", "newest release with known flags"),
        ("checkpoint", "Qwen/Qwen3-32B", "catalog", "the model's own"),
        ("hardware.gpu", "gb300", "catalog", "GB300 NVL72 (per GPU)"),
        ("hardware.gpus_per_node", 4, "catalog", "usual for this GPU"),
        ("hardware.fabric", "mnnvl-nvl72", "catalog", "multi-node NVLink of GB200 and GB300 NVL72"),
        ("world", 8, "derived", "GPUs of one instance: tp x pp x dp"),
        ("parallel.pp", 1, "derived", "default"),
        ("parallel.dp", 1, "derived", "default"),
        ("parallel.ep", 1, "derived", "default"),
        ("parallel.dcp", 1, "derived", "default"),
        ("serve.max_model_len", 40960, "engine", "the model's window"),
    ]


def test_an_older_engine_uses_the_newest_flags_before_it() -> None:
    case = resolved(engine={"name": "vllm", "version": "0.29.1"})
    assert case.deployment.facts is not None
    assert case.deployment.facts.version == "0.27.1"
    first = origins(case)[0]
    assert (first.key, first.note) == ("engine.version", "flags of 0.27.1: the newest known before 0.29.1")


EVIDENCE = {
    "status": "documented",
    "source": "somewhere",
    "checked": "2026-08-15",
    "figures": {"tokens_per_s": 300},
}


@pytest.mark.parametrize(
    ("settings", "status", "figures"),
    [
        ([], "documented", {"tokens_per_s": 300}),
        (["workload.concurrency=9"], "documented", {"tokens_per_s": 300}),
        (["hardware.gpu=a100"], "derived", {}),
        (["engine.name=sglang"], "derived", {}),
        (["hardware.gpu=a100", "evidence.status=verified"], "verified", {"tokens_per_s": 300}),
    ],
    ids=["as published", "another workload", "another GPU", "another engine", "run again"],
)
def test_evidence_speaks_of_the_layout_that_was_published(
    settings: list[str], status: str, figures: dict[str, int]
) -> None:
    evidence = resolve(load_recipe(BASE | {"evidence": EVIDENCE}, settings)).deployment.evidence
    assert evidence is not None
    assert (evidence.status, evidence.figures) == (status, figures)
