"""What the commands of one deployment must have in common: one a node, each with its rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from launchplan.catalog import Flag
from launchplan.finding import Finding, Severity
from launchplan.lint.found import Launch
from launchplan.lint.judge import Judged
from launchplan.lint.problems import Note
from launchplan.lint.shell import UNKNOWN_SIGN, Token
from launchplan.lint.text import SourceFile
from launchplan.lint.unknowns import facts_of

_TOGETHER = {
    "vllm": (
        *("nnodes", "tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size"),
        *("decode_context_parallel_size", "enable_expert_parallel", "master_port", "dtype", "quantization"),
        *("kv_cache_dtype", "max_model_len", "block_size"),
    ),
    "sglang": (
        *("nnodes", "tp_size", "pp_size", "dp_size", "ep_size", "enable_dp_attention", "dist_init_addr"),
        *("dtype", "quantization", "kv_cache_dtype", "context_length", "page_size"),
    ),
}
"""Flags that all nodes of a deployment must give alike, by the parser's name."""
_RANKED = "node_rank"
Given = Mapping[str, tuple[str, Token]]
"""What a command gives, by the parser's name: the value, and the word where it stands."""


def several_findings(judged: Sequence[Judged], file: SourceFile) -> Iterator[Finding]:
    """Compare the commands of each deployment: those for several nodes, with the same model, in order."""
    for group in _groups(judged):
        for note, engine in compare(group):
            yield note.finding(file.location(note.start), engine)


def without_idle(judged: Sequence[Judged]) -> tuple[Judged, ...]:
    """Say nothing of idle GPUs where other commands of the file may use them."""
    alone = {"kubernetes", "compose"} if len(judged) > 1 else {"", "docker", "kubernetes", "compose"}
    return tuple(
        each
        if (each.launch.around.container.kind if each.launch.around.container else "") in alone
        else replace(each, findings=tuple(one for one in each.findings if one.code != "PAR107"))
        for each in judged
    )


def without_repeats(judged: Sequence[Judged]) -> tuple[Judged, ...]:
    """Tell what is no error of a deployment once, at its first command."""
    kept = {id(each): each for each in judged}
    for group in _groups(judged):
        told = {(each.code, each.path, each.message) for each in group[0][0].findings}
        for other, _ in group[1:]:
            rest = (
                each
                for each in other.findings
                if each.severity is Severity.ERROR or (each.code, each.path, each.message) not in told
            )
            kept[id(other)] = replace(other, findings=tuple(rest))
    return tuple(kept[id(each)] for each in judged)


def _groups(judged: Sequence[Judged]) -> Iterator[list[tuple[Judged, Given]]]:
    """Put commands for several nodes together; a rank that comes again begins another deployment."""
    held: dict[tuple[str, str, str], list[tuple[Judged, Given]]] = defaultdict(list)
    for each in judged:
        given = ranked(each)
        if given is None:
            continue
        key = group_key(each, given)
        ranks = {seen[_RANKED][0] for _, seen in held[key]}
        if given[_RANKED][0] in ranks:
            yield held.pop(key)
        held[key].append((each, given))
    yield from held.values()


def ranked(judged: Judged) -> Given | None:
    """Read what a command for one of several nodes gives; None for another one."""
    given = given_of(judged)
    alone = given.get("nnodes", ("1", None))[0] == "1" or _RANKED not in given
    return None if alone else given


def group_key(judged: Judged, given: Given) -> tuple[str, str, str]:
    """Name what the commands of one deployment have in common: engine, model, and side of a pair of pools."""
    model = next((token.text for token in judged.launch.arguments if not token.text.startswith("-")), "")
    return (
        judged.launch.engine,
        model,
        given["disaggregation_mode"][0] if "disaggregation_mode" in given else "",
    )


def given_of(judged: Judged) -> Given:
    """Read the flags of a command by the facts of its version; none where no version is known."""
    launch, facts = judged.launch, facts_of(judged.launch.engine, judged.version)
    found: dict[str, tuple[str, Token]] = {}
    if facts is None:
        return found
    for place in range(launch.start, len(launch.tokens)):
        token = launch.tokens[place]
        name, sign, value = token.text.partition("=")
        flag = facts.match(name) if name.startswith("-") else None
        if not isinstance(flag, Flag):
            continue
        if flag.kind == "switch":
            found[flag.dest] = ("off" if name in flag.off_names else "on", token)
        elif sign:
            found[flag.dest] = (value, token)
        elif place + 1 < len(launch.tokens):
            found[flag.dest] = (launch.tokens[place + 1].text, token)
    return found


def compare(group: Sequence[tuple[Judged, Given]], where: str = "") -> Iterator[tuple[Note, str]]:
    """Compare the commands of a deployment with its first, which stands `where`."""
    first, given = group[0]
    for other, theirs in group[1:]:
        label = f"{other.launch.engine} {other.version}"
        for name in _TOGETHER[first.launch.engine]:
            ours, told = given.get(name), theirs.get(name)
            if (ours is None) == (told is None) and (ours is None or told is None or ours[0] == told[0]):
                continue
            if _is_open(first.launch) or _is_open(other.launch):
                continue
            if any(value is not None and UNKNOWN_SIGN in value[0] for value in (ours, told)):
                continue
            place = told[1] if told else other.launch.tokens[other.launch.program]
            flag = f"--{name.replace('_', '-')}"
            nodes = theirs[_RANKED][0], given[_RANKED][0]
            message = (
                f"{flag} is {_said(told)} on node {nodes[0]} and {_said(ours)} on node {nodes[1]}{where}"
            )
            yield Note("CMD112", message, place.start, "give all nodes of a deployment the same"), label


def _said(value: tuple[str, Token] | None) -> str:
    return "not given" if value is None else value[0]


def _is_open(launch: Launch) -> bool:
    """Tell whether a command may give more than it is known to; the value of a flag is one word."""
    if launch.partial is not None:
        return True
    words = launch.tokens[launch.start - 1 :]
    return any(
        token.open
        and token.unknown != ("$@",)
        and not (before.text.startswith("--") and "=" not in before.text)
        for before, token in pairwise(words)
    )
