"""From the text of a log to the figures of each rank's last start."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from launchplan.memory.logged import EngineLog, Figure, RankLog
from launchplan.observe.lines import SGLANG, START, VERSION, VLLM, Line

if TYPE_CHECKING:
    from launchplan.memory.budget import Engine

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# `(Worker_DP0_TP1 pid=7)`, `(VllmWorker TP1 pid=7)`, `(EngineCore_DP0 pid=7)`.
_VLLM_PROCESS = re.compile(r"\((?:Ray|Vllm)?(?:EngineCore|Worker)([^)]*?)(?:,? ?(?:pid|rank)=(\d+)[^)]*)?\)")
# `[2026-02-26 05:24:09 DP0 TP4]`.
_SGLANG_PROCESS = re.compile(r"\[\d{4}-\d\d-\d\d[ T][\d:.,]+((?: (?:DP|PP|TP|EP|CP)\d+)*)\]")
_GROUP = re.compile(r"(?:DP|PP|TP|EP|DCP|PCP|CP)\d+")
# Of these SGLang prints one for the model and one for its draft.
_ADDED = frozenset({"weights_gib", "load_s", "k_gib", "v_gib", "kv_gib", "graphs_gib", "capture_s"})
_LAST = frozenset({"after_gib", "after_pool_gib", "unused_gib"})


def read_log(text: str, engine: Engine | None = None) -> EngineLog | None:
    """Read the last start of an engine that printed any figure; None when there is none.

    Without `engine` it is the one whose lines are found.
    """
    lines = _COLOUR.sub("", text).replace("\r", "\n").split("\n")
    names: tuple[Engine, ...] = ("vllm", "sglang") if engine is None else (engine,)
    found = [log for name in names if (log := _read(lines, name)) is not None]
    return max(found, key=lambda log: sum(len(rank.figures) for rank in log.ranks), default=None)


def _read(lines: Iterable[str], engine: Engine) -> EngineLog | None:
    wordings = VLLM if engine == "vllm" else SGLANG
    starts: list[dict[str, dict[str, list[Figure]]]] = [{}]
    version: str | None = None
    for line in lines:
        if START[engine].search(line) and starts[-1]:
            starts.append({})
        if (named := VERSION[engine].search(line)) is not None:
            version = named.group(1).rstrip(".")
        figures = list(_figures(line, wordings))
        if figures:
            rank = starts[-1].setdefault(_rank(line, engine), {})
            for name, figure in figures:
                rank.setdefault(name, []).append(figure)
    told = [start for start in starts if start]
    if not told:
        return None
    choose = _of_vllm if engine == "vllm" else _of_sglang
    ranks = (RankLog(rank, choose(figures)) for rank, figures in told[-1].items())
    return EngineLog(engine, version, tuple(sorted(ranks, key=_order)), len(told))


def _figures(line: str, wordings: Iterable[Line]) -> Iterable[tuple[str, Figure]]:
    for wording in wordings:
        match = wording.pattern.search(line)
        if match is not None:
            yield from (
                (name, _figure(name, text)) for name, text in zip(wording.names, match.groups(), strict=True)
            )


def _figure(name: str, text: str) -> Figure:
    plain = text.replace(",", "")
    digits = len(plain.partition(".")[2])
    # Sizes are rounded to two digits, of which a last zero is not always printed.
    return Figure(float(plain), 10.0 ** -max(digits, 2 if name.endswith("_gib") else 0))


def _rank(line: str, engine: Engine) -> str:
    """Name the process that printed a line by its place in the groups, else by its number."""
    if engine == "sglang":
        match = _SGLANG_PROCESS.search(line)
        return match.group(1).strip() if match else ""
    match = _VLLM_PROCESS.search(line)
    if match is None:
        return ""
    groups = _GROUP.findall(match.group(1))
    if groups or "EngineCore" in match.group(0):
        return " ".join(groups)
    return f"process {match.group(2)}" if match.group(2) else ""


def _order(rank: RankLog) -> tuple[tuple[str, int], ...]:
    return tuple(
        (name.rstrip("0123456789 "), int(re.sub(r"\D", "", name) or 0)) for name in rank.rank.split()
    )


def _of_vllm(figures: Mapping[str, list[Figure]]) -> dict[str, Figure]:
    """Take the last of each, and the one with more digits where two lines say the same."""
    found: dict[str, Figure] = {}
    for name, values in figures.items():
        last = values[-1]
        same = [each for each in values if abs(each.value - last.value) <= last.step]
        found[name] = min(same, key=lambda each: each.step)
    return found


def _of_sglang(figures: Mapping[str, list[Figure]]) -> dict[str, Figure]:
    """Take the model's figure, the first one, or add that of its draft."""
    found: dict[str, Figure] = {}
    for name, values in figures.items():
        if name in _ADDED:
            # A draft that shares the model's weights gives memory back.
            found[name] = Figure(sum(each.value for each in values), values[0].step)
        else:
            found[name] = values[-1] if name in _LAST else values[0]
    return found
