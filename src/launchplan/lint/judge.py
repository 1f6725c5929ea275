"""Judge the launches of a file: by the rules, and by how and where they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from launchplan import catalog
from launchplan.finding import Finding
from launchplan.lint.container_checks import container_notes
from launchplan.lint.cures import in_words
from launchplan.lint.found import BY_TEMPLATE, Launch
from launchplan.lint.plan import ABOUT_HOSTS, Checked, Site, lint_command
from launchplan.lint.problems import Note
from launchplan.lint.shell import Token
from launchplan.lint.text import SourceFile
from launchplan.lint.twice import given_twice
from launchplan.lint.unknowns import (
    SELF_CONTAINED,
    Reading,
    commands,
    common,
    facts_of,
    known_environment,
    read_tokens,
)
from launchplan.pipeline import Plan

ABOUT_NETWORK = ("NET106",)
"""Rules that ask whether there is RDMA between the hosts."""
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")


@dataclass(frozen=True, slots=True)
class Judged:
    """One launch and what was found of it."""

    launch: Launch
    version: str
    assumed: bool
    """Whether nobody says the version: it is the newest one known."""
    findings: tuple[Finding, ...]
    plan: Plan | None = field(repr=False, default=None)


def judge(launch: Launch, site: Site, file: SourceFile) -> Judged:
    """Judge one launch; what the caller says goes before what the file says."""
    around = launch.around
    asked = site.version or around.version
    version = asked or catalog.versions(launch.engine)[-1]
    placed = replace(
        site,
        version=version,
        gpu=site.gpu or around.gpu,
        gpus_per_node=_gpus(launch, site),
        nodes=site.nodes or (around.nodes if _by_ray(launch) else None),
    )
    facts = facts_of(launch.engine, version)
    reading = read_tokens(launch, facts)
    env = known_environment(launch.env)
    checks = [lint_command(launch.command(words, env), placed) for words in commands(reading)]
    findings = common([check.findings for check in checks])
    decided = not reading.open and launch.partial is None
    if not decided:
        findings = [each for each in findings if each.code in SELF_CONTAINED and not _lacks(each)]
    if _by_ray(launch) and placed.nodes is None:
        findings = [each for each in findings if each.code not in ABOUT_HOSTS]
    if launch.around.container is not None and launch.around.container.rdma:
        findings = [each for each in findings if each.code not in ABOUT_NETWORK]
    findings = [in_words(_placed(each, launch, checks[0], file), launch, file) for each in findings]
    label = f"{launch.engine} {version}"
    notes = [*launch.notes, *_unknown(reading, launch), *container_notes(launch, reading)]
    if decided and facts is not None:
        notes += given_twice(launch, facts)
    findings += [note.finding(file.location(note.start), label) for note in notes]
    plan = checks[0].plan if not reading.doubtful and decided else None
    return Judged(launch, version, asked is None, tuple(findings), plan)


def _gpus(launch: Launch, site: Site) -> int | None:
    """Give the GPUs that the process sees; None where only a variable says them."""
    visible = next((launch.env[name] for name in _VISIBLE if name in launch.env), None)
    if visible is None:
        return site.gpus_per_node or launch.around.gpus_per_node
    listed = [each for each in visible.text.split(",") if each.strip()]
    return len(listed) if visible.known and listed else None


def _by_ray(launch: Launch) -> bool:
    """Tell whether Ray places the ranks, on as many hosts as its cluster has."""
    texts = [token.text for token in launch.arguments]
    pairs = zip_longest(texts, texts[1:], fillvalue="")
    return any(
        (name.replace("_", "-") == "--distributed-executor-backend" and value == "ray")
        or name.replace("_", "-") == "--distributed-executor-backend=ray"
        for name, value in pairs
    )


def _lacks(finding: Finding) -> bool:
    """Tell whether a parser misses something that a variable may bring."""
    return "required" in finding.message or "expected one argument" in finding.message


def _placed(finding: Finding, launch: Launch, checked: Checked, file: SourceFile) -> Finding:
    token = token_of(finding, launch, checked.words)
    return replace(finding, location=file.location(token.start))


def token_of(finding: Finding, launch: Launch, words: Mapping[tuple[str | int, ...], int]) -> Token:
    """Give the word that a finding is about; the program where it is about the whole command."""
    path = finding.path
    if path[:1] == ("env",) and len(path) > 1 and str(path[1]) in launch.env:
        return launch.env[str(path[1])]
    for end in range(len(path), 0, -1):
        index = words.get(path[:end])
        if index is not None and index < len(launch.tokens):
            return launch.tokens[index]
    if path[:1] in {("model",), ("checkpoint",)}:
        return _model(launch)
    return launch.tokens[launch.program]


def _model(launch: Launch) -> Token:
    tokens = launch.tokens
    for place in range(launch.start, len(tokens)):
        text = tokens[place].text
        if text in {"--model", "--model-path"} and place + 1 < len(tokens):
            return tokens[place + 1]
        if text.startswith(("--model=", "--model-path=")) or (
            place == launch.start and not text.startswith("-")
        ):
            return tokens[place]
    return tokens[launch.program]


def _unknown(reading: Reading, launch: Launch) -> Iterator[Note]:
    """Tell once what is not judged because nobody knows it."""
    if reading.foreign:
        names = ", ".join(dict.fromkeys(token.text.partition("=")[0] for token in reading.foreign))
        message = (
            f"{names}: no flag of {launch.engine}; what {launch.wrapper} makes of it, and sets by itself, "
            "is not judged"
        )
        yield Note("CMD106", message, reading.foreign[0].start)
    if reading.open:
        token = reading.open[0]
        what = ", ".join(dict.fromkeys(name for each in reading.open for name in each.unknown))
        message = f"what {what} adds is not known: only what each written word alone decides is judged"
        yield Note("CMD106", message, token.start)
    elif launch.partial == BY_TEMPLATE:
        message = f"{launch.partial}: only what each written word alone decides is judged"
        yield Note("CMD106", message, launch.tokens[launch.start - 1].start)
    elif reading.own:
        message = "judged as started without arguments of its own, which $@ would add"
        yield Note("CMD106", message, reading.own[0].start)
    if reading.unknown and not reading.open:
        token = reading.unknown[0][0]
        names = ", ".join(
            dict.fromkeys(f"{flag} ({', '.join(each.unknown)})" for each, flag in reading.unknown)
        )
        message = f"not known here: {names}; what hangs on it is not judged"
        yield Note("CMD106", message, token.start)
