"""Files that hold one deployment: a file a node, or one of prefill and one of decode.

They belong together where they lie in one folder, serve the same model by the same engine, and their parts
fit: each rank once, or all of a side alike. Where that leaves two ways to put them together, nothing is
compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from launchplan.finding import Finding, worst_first
from launchplan.lint.files import LintedFile
from launchplan.lint.judge import Judged
from launchplan.lint.pools import Side, page_finding, paged
from launchplan.lint.several import Given, compare, group_key, ranked


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A command for one of several nodes, and the number of its file."""

    number: int
    judged: Judged
    given: Given


def together(results: Sequence[LintedFile]) -> tuple[LintedFile, ...]:
    """Compare the commands of files with each other; what they disagree in joins their findings."""
    if len(results) < 2:
        return tuple(results)
    more: dict[int, list[Finding]] = defaultdict(list)
    for number, finding in (*_nodes(results), *_pools(results)):
        more[number].append(finding)
    return tuple(
        replace(each, findings=worst_first((*each.findings, *more[number]))) if number in more else each
        for number, each in enumerate(results)
    )


def _nodes(results: Sequence[LintedFile]) -> Iterator[tuple[int, Finding]]:
    held: dict[tuple[str, ...], list[_Ranked]] = defaultdict(list)
    for number, result in enumerate(results):
        for judged in result.judged:
            given = ranked(judged)
            if given is not None:
                key = (_folder(result), *group_key(judged, given))
                held[key].append(_Ranked(number, judged, given))
    for group in held.values():
        ranks = [each.given["node_rank"][0] for each in group]
        if len(set(ranks)) < len(ranks):
            continue  # several deployments of one model: nobody says which belong together
        first = group[0]
        for other in group[1:]:
            if other.number == first.number:
                continue  # compared within their file
            where = f" ({PurePath(results[first.number].file.name).name})"
            file = results[other.number].file
            for note, engine in compare([(first.judged, first.given), (other.judged, other.given)], where):
                yield other.number, note.finding(file.location(note.start), engine)


def _pools(results: Sequence[LintedFile]) -> Iterator[tuple[int, Finding]]:
    held: dict[tuple[str, str], list[tuple[int, Side]]] = defaultdict(list)
    for number, result in enumerate(results):
        for side in paged(result.judged):
            held[_folder(result), side.model].append((number, side))
    for group in held.values():
        ours = [(number, side) for number, side in group if side.mode == "prefill"]
        theirs = [(number, side) for number, side in group if side.mode == "decode"]
        if any(len({side.page_size for _, side in sides}) != 1 for sides in (ours, theirs)):
            continue  # one side is missing, or there are several deployments
        sources = {number for number, _ in ours}
        for number, side in theirs:
            if number not in sources and side.page_size != ours[0][1].page_size:
                where = PurePath(results[ours[0][0]].file.name).name
                yield number, page_finding(ours[0][1], side, results[number].file, f" of {where}")


def _folder(result: LintedFile) -> str:
    return str(PurePath(result.file.name).parent)
