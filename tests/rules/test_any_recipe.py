"""Rules never raise, whatever a readable recipe says, and each finding keeps the style."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from launchplan import catalog
from launchplan.pipeline import make_plan

MODELS = [model.id for model in catalog.models()] + ["nobody/knows-it"]
GPUS = [gpu.id for gpu in catalog.gpus()] + ["no-such-gpu"]
FABRICS = [fabric.id for fabric in catalog.fabrics()] + ["no-such-fabric"]
SIZE = st.sampled_from([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 1000])
FLAGS = [
    "tp",
    "enable-eplb",
    "eplb-config",
    "moe-a2a-backend",
    "moe-dp-size",
    "attn-cp-size",
    "max-model-len",
    "kv-cache-dtype",
    "quantization",
    "O3",
    "a.b",
    "vllm",
    "speculative-config.method",
    "--api-key",
    "ü",
]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=80),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
)
PARALLEL = st.fixed_dictionaries({}, optional=dict.fromkeys(("tp", "pp", "dp", "ep", "dcp"), SIZE))
SERVE = st.fixed_dictionaries(
    {},
    optional={
        "max_model_len": st.sampled_from([1, 4096, 10**9]),
        "kv_cache_dtype": st.sampled_from(["fp8", "auto", "nvfp4", "fp8_ds_mla", "float16", "none such"]),
        "features": st.just(["tools", "reasoning"]),
        "hf_overrides": st.dictionaries(
            st.sampled_from(["num_attention_heads", "max_position_embeddings"]), VALUES
        ),
    },
)
RECIPES = st.fixed_dictionaries(
    {
        "launchplan": st.just(1),
        "name": st.just("any"),
        "model": st.sampled_from(MODELS),
        "engine": st.fixed_dictionaries(
            {
                "name": st.sampled_from(["vllm", "sglang"]),
                "version": st.sampled_from(["0.33.0", "0.5.23", "0.11.2", "0.25.1", "nightly", "0.1"]),
            }
        ),
        "hardware": st.fixed_dictionaries(
            {"gpu": st.sampled_from(GPUS), "nodes": st.integers(1, 4), "fabric": st.sampled_from(FABRICS)}
        ),
        "parallel": PARALLEL,
        "serve": SERVE,
        "args": st.dictionaries(st.sampled_from(FLAGS), VALUES, max_size=4),
        "env": st.dictionaries(st.sampled_from(["HF_TOKEN", "VLLM_X", "SGLANG_Y"]), st.text(max_size=9)),
    },
    optional={
        "checkpoint": st.sampled_from(["/models/x", "nobody/knows-it", *MODELS]),
        "speculative": st.fixed_dictionaries(
            {"method": st.sampled_from(["mtp", "eagle3", "ngram", "other"])}
        ),
    },
)


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(RECIPES)
def test_rules_never_raise(recipe: dict[str, Any]) -> None:
    for finding in make_plan(recipe).findings:
        for text in (finding.message, finding.fix or "none"):
            assert 0 < len(text) <= 300
            assert "\n" not in text
        assert finding.location is not None
