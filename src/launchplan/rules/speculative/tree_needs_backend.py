"""A draft tree on an attention backend that verifies chains only.

## Why

A top-k above 1 drafts a tree. Its branches share pages of the KV cache, which few attention backends can
express; with pages of one token more of them can. NGRAM drafts a tree of breadth 10 unless told otherwise.

## Fix

Use top-k 1 (NGRAM: `speculative-ngram-max-bfs-breadth: 1`), or `page-size: 1`, or a backend that can.

## References

- SGLang 0.5.23 `arg_groups/speculative_hook.py:1178`, `:1278`, `:1361`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, refuse, sglang_rule
from launchplan.rules.speculative.draft_model_given import FAMILY
from launchplan.units import choice_text

TREES = {"NGRAM": ("flashinfer",), **dict.fromkeys(FAMILY, ("flashinfer", "fa3", "triton"))}
"""Attention backends that verify a tree over pages, by algorithm."""


@sglang_rule("SPC305", "tree-needs-backend", source="speculative_hook.py:1178")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the draft tree with the attention backend."""
    held = view.settings
    algorithm, top = algorithm_of(view), held.speculative_eagle_topk
    if algorithm not in TREES or not held.complete or top is None or top <= 1:
        return
    name = "speculative_ngram_max_bfs_breadth" if algorithm == "NGRAM" else "speculative_eagle_topk"
    fix = f"use {name.replace('_', '-')} 1"
    if algorithm != "NGRAM" and "trtllm_mha" in (held.prefill_backend, held.decode_backend):
        message = f"a draft tree (top-k {top}) does not work with attention backend trtllm_mha"
        yield refuse(view, name, message, fix)
    elif (held.page_size or 1) > 1 and held.attention_backend not in TREES[algorithm]:
        backend, able = held.attention_backend, choice_text(TREES[algorithm])
        message = f"a draft tree (top-k {top}) with page size {held.page_size} does not work on {backend}"
        yield refuse(view, name, message, f"{fix}, or page-size 1, or attention-backend {able}")
