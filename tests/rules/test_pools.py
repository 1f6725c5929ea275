"""What prefill and decode must have in common, given or resolved by the engine."""

from __future__ import annotations

from typing import Any

import pytest

from launchplan import api

OWN = "(the engine's own)"


def pools(gpu: str, prefill: dict[str, Any], decode: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {
        "launchplan": 1,
        "name": "case",
        "model": "Qwen/Qwen3-8B",
        "engine": {"name": "sglang", "version": "0.5.23"},
        "hardware": {"gpu": gpu, "nodes": 1, "gpus_per_node": 8, "fabric": "ib"},
        "pools": {
            "prefill": {"parallel": {"tp": 4}, **prefill},
            "decode": {"parallel": {"tp": 4}, **decode},
        },
        **changed,
    }


@pytest.mark.parametrize(
    ("recipe", "found"),
    [
        (pools("h200", {}, {}), []),
        (pools("b300", {"args": {"attention-backend": "trtllm_mha"}}, {}), []),
        (
            pools("h200", {}, {"serve": {"block_size": 64}}),
            [(f"prefill has blocks of 1 token {OWN}, decode of 64 tokens", ("decode", "serve", "block_size"), 64)],
        ),
        (
            pools("h200", {"args": {"page-size": 64}}, {}),
            [(f"prefill has blocks of 64 tokens, decode of 1 token {OWN}", ("decode", "args"), 64)],
        ),
        (
            pools("b300", {"args": {"attention-backend": "triton"}}, {}),
            [(f"prefill has blocks of 1 token {OWN}, decode of 64 tokens {OWN}", ("decode", "args"), 64)],
        ),
        # What an unknown model makes of it is not known.
        (pools("h200", {"args": {"page-size": 64}}, {}, model="nobody/knows-it"), []),
    ],
)  # fmt: skip
def test_page_sizes_are_those_that_sglang_resolves(
    recipe: dict[str, Any], found: list[tuple[str, tuple[str, ...], int]]
) -> None:
    told = [each for each in api.check(recipe).findings if each.code == "DIS103"]
    assert [(each.message, each.path, each.fix) for each in told] == [
        (message, ("pools", *path), f"give both pools serve.block_size {size}")
        for message, path, size in found
    ]


def test_a_page_size_that_is_given_goes_before_the_backends() -> None:
    recipe = pools("b300", {"args": {"attention-backend": "triton", "page-size": 64}}, {})
    assert [each for each in api.check(recipe).findings if each.code == "DIS103"] == []


@pytest.mark.parametrize(("decode", "fits"), [(64, True), (8, False)])
def test_vllm_compares_what_is_given(decode: int, fits: bool) -> None:
    engine = {"name": "vllm", "version": "0.33.0"}
    recipe = pools("h200", {"args": {"block-size": 16}}, {"args": {"block-size": decode}}, engine=engine)
    assert [each.code for each in api.check(recipe).findings if each.code == "DIS103"] == (
        [] if fits else ["DIS103"]
    )
