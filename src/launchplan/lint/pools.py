"""What prefill and decode servers of SGLang must have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from launchplan.engines.sglang.view import SglangView
from launchplan.lint.judge import Judged
from launchplan.lint.problems import Note

_SOURCE = "sglang/srt/disaggregation/common/conn.py: page size mismatch"


def pool_notes(judged: Sequence[Judged]) -> Iterator[Note]:
    """Compare the page sizes of prefill and decode servers of one model, as far as they are known."""
    views = [(each, view) for each in judged for view in _views(each)]
    for decode, theirs in views:
        if theirs.arguments["disaggregation_mode"] != "decode" or theirs.arguments["enable_hisparse"]:
            continue
        for _, ours in views:
            same = ours.arguments["model_path"] == theirs.arguments["model_path"]
            if ours.arguments["disaggregation_mode"] != "prefill" or not same:
                continue
            sizes = ours.settings.page_size, theirs.settings.page_size
            if None not in sizes and sizes[0] != sizes[1]:
                message = f"the prefill server has page size {sizes[0]}, this decode server {sizes[1]}"
                start = decode.launch.tokens[decode.launch.program].start
                yield Note("CMD112", message, start, "give both the same --page-size", _SOURCE)
                break


def _views(judged: Judged) -> Iterator[SglangView]:
    for view in judged.plan.views if judged.plan is not None else ():
        if isinstance(view, SglangView):
            yield view
