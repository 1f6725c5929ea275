"""What prefill and decode servers of SGLang must have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from launchplan.engines.sglang.view import SglangView
from launchplan.finding import Finding, Severity
from launchplan.lint.judge import Judged
from launchplan.lint.text import SourceFile
from launchplan.rules.disaggregation.pools_share_blocks import block_size

_SOURCE = "sglang/srt/disaggregation/common/conn.py: page size mismatch"


@dataclass(frozen=True, slots=True)
class Side:
    """A prefill or decode server whose page size is known."""

    judged: Judged
    mode: str
    model: str
    page_size: int


def pool_findings(judged: Sequence[Judged], file: SourceFile) -> Iterator[Finding]:
    """Compare the page sizes of prefill and decode servers of one model in a file."""
    sides = tuple(paged(judged))
    for decode in sides:
        for prefill in sides:
            same = (prefill.mode, decode.mode, prefill.model) == ("prefill", "decode", decode.model)
            if same and prefill.page_size != decode.page_size:
                yield page_finding(prefill, decode, file)
                break


def page_finding(prefill: Side, decode: Side, file: SourceFile, where: str = "") -> Finding:
    """Say at the decode server that it does not take the pages of the prefill server; DIS103 has the page."""
    launch = decode.judged.launch
    return Finding(
        "DIS103",
        "pools-share-blocks",
        Severity.ERROR,
        f"the prefill server{where} has page size {prefill.page_size}, this decode server {decode.page_size}",
        (),
        file.location(launch.tokens[launch.program].start),
        "give both the same --page-size",
        f"{launch.engine} {decode.judged.version}",
        _SOURCE,
        "run",
    )


def paged(judged: Sequence[Judged]) -> Iterator[Side]:
    """Give the servers of either side whose page size is known."""
    for each in judged:
        for view in each.plan.views if each.plan is not None else ():
            mode = view.arguments["disaggregation_mode"]
            if not isinstance(view, SglangView) or mode not in {"prefill", "decode"}:
                continue
            size = block_size(view)
            if size is not None:
                yield Side(each, mode, str(view.arguments["model_path"]), size)
