"""The model's type is not one that this release reads.

## Why

The engine reads `config.json` with a class for its `model_type`: one of its own, or one of the transformers
release that it is installed with. Without such a class it runs the code that the checkpoint names under
`auto_map`, if it is trusted; else it ends before anything is loaded. Only a configuration that was given as a
file is judged: entries of the catalog hold what the rules need of it, not all of it.

## Fix

A release that knows the type, or `trust_remote_code: true` where the checkpoint brings its own code.

## References

- vLLM 0.33.0 `vllm/transformers_utils/config.py:122`, `:445`; it allows transformers 5.16.1 to 5.20
- SGLang 0.5.23 `sglang/srt/utils/hf_transformers/common.py:117`, `config.py:336`; it pins transformers 5.19.0
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.engines.view import EngineView
from launchplan.rules.rule import ERROR, Violation, rule

HUGGING_FACE = {None, "auto", "hf"}
"""Values of the flags that choose another form of configuration."""


@rule(
    "ENG118",
    "model-type-known",
    severity=ERROR,
    source={
        "vllm": "vllm/transformers_utils/config.py:445 (0.33.0)",
        "sglang": "sglang/srt/utils/hf_transformers/config.py:379 (0.5.23)",
    },
    at="config",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look the type up among those with a configuration class."""
    deployment, model = view.pool.deployment, view.architecture
    facts, config = catalog.loadable(view.engine, deployment.version), deployment.model_source.config
    if facts is None or model is None or model.model_type is None or config is None:
        return
    formats = {view.arguments[flag] for flag in ("config_format", "model_config_parser")}
    if facts.reads(model.model_type) or not formats <= HUGGING_FACE:
        return
    if view.arguments["hf_config_path"]:
        return
    own = bool(config.get("auto_map"))
    if own and view.arguments["trust_remote_code"]:
        return
    message = f"neither {view.engine} {deployment.version} nor transformers {facts.transformers} reads"
    cure = "set trust_remote_code: true, which runs the checkpoint's own code" if own else None
    yield Violation(
        f"{message} model type {model.model_type}",
        ("model",),
        cure or f"use a release of {view.engine} that knows it, or the checkpoint in another form",
    )
