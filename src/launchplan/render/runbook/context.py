"""Everything that the templates of the runbook may print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace

from launchplan.catalog.signals import Signals, signals
from launchplan.engines import Launch, Process
from launchplan.render.dossier import Dossier, Part
from launchplan.render.filters import longest_ticks
from launchplan.render.runbook import before, client, course
from launchplan.render.runbook.accuracy import AccuracyTest, accuracy_test
from launchplan.render.runbook.blocks import Block, Step, full_command
from launchplan.render.runbook.budget import PoolBudget, pool_budget
from launchplan.render.runbook.client_notes import client_notes
from launchplan.render.runbook.facts import Fact, facts
from launchplan.render.runbook.failure_table import Failure
from launchplan.render.runbook.failures import failures
from launchplan.render.runbook.findings import Said, said
from launchplan.render.runbook.install import install_gaps
from launchplan.render.runbook.map import PoolMap, pool_maps
from launchplan.render.runbook.published import Published, published
from launchplan.render.runbook.ready import bench_command, scripted_checks
from launchplan.render.runbook.watch import Watched, watch_notes, watched
from launchplan.render.shell.bench import bench
from launchplan.render.shell.endpoint import Endpoint, endpoint
from launchplan.render.shell.scripts import LOCAL_CACHE, Script, scripts

_MOST_PATHS = 8
_SHORTEST_FENCE = 3


@dataclass(frozen=True, slots=True)
class Start:
    """How one process is started."""

    name: str
    host: str
    title: str
    script: tuple[Block, ...]
    """What has to be up before, its check and its script; none in a bundle without scripts."""
    checks: tuple[Step, ...]
    """Its check alone, with what it prints."""
    command: Block
    """Its environment and its command in full."""


@dataclass(frozen=True, slots=True)
class FolderRow:
    """What one target has put into the folder."""

    target: str
    summary: str
    paths: str


@dataclass(frozen=True, slots=True)
class Runbook:
    """The context of the runbook's templates."""

    name: str
    summary: str
    engine: str
    evidence: str
    """Status of the recipe's evidence in one word."""
    facts: tuple[Fact, ...]
    published: Published
    maps: tuple[PoolMap, ...]
    folder: tuple[FolderRow, ...]
    scripted: bool
    """The bundle has a script for each process."""
    sites: tuple[before.SiteValue, ...]
    site_blocks: tuple[Block, ...]
    preparations: tuple[Step, ...]
    install_gaps: tuple[str, ...]
    order: tuple[str, ...]
    starts: tuple[Start, ...]
    durations: tuple[Fact, ...]
    expectations: tuple[str, ...]
    log: tuple[course.SeenLine, ...]
    signals: str
    """The release in which log lines and metrics were looked up."""
    ready: tuple[Step, ...]
    endpoint: Endpoint
    url: Block
    bench_note: str
    bench: Block
    accuracy: tuple[AccuracyTest, ...]
    """None where HTTP does not reach the deployment."""
    clients: tuple[Block, ...]
    client_notes: tuple[str, ...]
    """What somebody who writes a client has to know."""
    budgets: tuple[PoolBudget, ...]
    unknown: tuple[str, ...]
    """Pools whose memory could not be computed."""
    watched: tuple[Watched, ...]
    watch_notes: tuple[str, ...]
    failures: tuple[Failure, ...]
    stops: tuple[str, ...]
    restarts: tuple[str, ...]
    rollback: tuple[str, ...]
    findings: tuple[Said, ...]
    home: tuple[str, ...]
    """Address of the index that the page belongs to; none in a bundle, which stands alone."""
    ticks: int
    """Length of the fences around commands: longer than any run of backticks in them."""

    @property
    def first(self) -> str:
        """The process that starts first."""
        return self.starts[0].name

    @property
    def bare(self) -> bool:
        """Whether the commands are all that there is to start from."""
        return not self.scripted

    @property
    def has_sites(self) -> bool:
        """Whether the site gives anything."""
        return bool(self.sites)

    @property
    def has_several(self) -> bool:
        """Whether there is more than one process."""
        return len(self.starts) > 1

    @property
    def has_durations(self) -> bool:
        """Whether anything is known of how long a start takes."""
        return bool(self.durations)

    @property
    def has_log(self) -> bool:
        """Whether lines of the log and metrics are known."""
        return bool(self.log)

    @property
    def has_budgets(self) -> bool:
        """Whether the memory of some pool could be computed."""
        return bool(self.budgets)

    @property
    def has_unknown(self) -> bool:
        """Whether the memory of some pool could not be computed."""
        return bool(self.unknown)

    @property
    def has_findings(self) -> bool:
        """Whether the rules have anything to say."""
        return bool(self.findings)

    @property
    def has_errors(self) -> bool:
        """Whether the rules refuse the plan."""
        return any(said.severity == "error" for said in self.findings)

    @property
    def local_cache(self) -> bool:
        """Whether commands want a folder that the scripts choose by themselves."""
        return any(site.variable == LOCAL_CACHE for site in self.sites)

    @property
    def has_failures(self) -> bool:
        """Whether failures of this shape are known."""
        return bool(self.failures)


def runbook(dossier: Dossier) -> Runbook:
    """Collect what the runbook of a launch says."""
    launch = dossier.launch
    deployment = launch.layout.resolved.deployment
    recipe = deployment.recipe.value
    scripted = any(part.target == "shell" for part in dossier.parts)
    made, api, memory = scripts(launch), endpoint(launch), dossier.background.memory
    known, drafts = signals(deployment.engine, deployment.version), dossier.background.drafts
    load = bench(launch)
    site = before.site_block(launch, scripted=scripted)
    computed = {pool.view.pool.role for pool in memory}
    book = Runbook(
        name=recipe.name,
        summary=recipe.summary or f"{deployment.checkpoint} with {deployment.engine_label}",
        engine=deployment.engine_label,
        evidence=deployment.evidence.status if deployment.evidence else "no evidence",
        facts=tuple(facts(launch)),
        published=published(launch),
        maps=tuple(pool_maps(launch)),
        folder=tuple(_folder(dossier.parts)),
        scripted=scripted,
        sites=tuple(before.site_values(launch, made, scripted=scripted)),
        site_blocks=(site,) if site else (),
        preparations=tuple(before.preparations(launch)),
        install_gaps=tuple(install_gaps(launch)),
        order=tuple(course.order(launch)),
        starts=tuple(_starts(launch, made, scripted=scripted)),
        durations=tuple(course.duration(launch, memory)),
        expectations=tuple(course.expectations(launch)),
        log=course.log_lines(known),
        signals=_looked_up(known),
        ready=tuple(scripted_checks(launch, api)) if scripted and api.reachable else (),
        endpoint=api,
        url=Block("base URL", f"echo {client.base_url(api)}"),
        bench_note=load.note,
        bench=bench_command(api, load),
        accuracy=tuple(accuracy_test(launch, api, memory)),
        clients=tuple(client.blocks(api)),
        client_notes=tuple(client_notes(launch, api, known)),
        budgets=tuple(
            pool_budget(pool, drafts.get(pool.view.pool.role), named=len(launch.layout.pools) > 1)
            for pool in memory
        ),
        unknown=tuple(each.pool.role for each in launch.layout.pools if each.pool.role not in computed),
        watched=watched(launch, known),
        watch_notes=tuple(watch_notes(launch, known)),
        failures=failures(launch),
        stops=tuple(course.stops(launch, scripts=scripted)),
        restarts=tuple(course.restarts(launch, memory)),
        rollback=tuple(course.rollback(launch)),
        findings=tuple(said(finding, dossier.background.reasons) for finding in dossier.findings),
        home=(dossier.background.home,) if dossier.background.home else (),
        ticks=_SHORTEST_FENCE,
    )
    longest = max(longest_ticks(block.text) for block in _blocks(book))
    return replace(book, ticks=max(_SHORTEST_FENCE, longest + 1))


def _starts(launch: Launch, made: tuple[Script, ...], *, scripted: bool) -> Iterator[Start]:
    checks = before.checks(launch)
    for process, script, check in zip(launch.processes, made, checks, strict=True):
        yield Start(
            process.name,
            script.host,
            script.title,
            tuple(_scripted(process)) if scripted else (),
            (check,) if scripted else (),
            full_command(launch, process),
        )


def _scripted(process: Process) -> Iterator[Block]:
    name = process.name
    if process.role == "router":
        yield course.instances(process)
    yield Block(f"start of {name}", f"./preflight.sh {name} && ./{name}.sh")


def _folder(parts: Iterable[Part]) -> Iterator[FolderRow]:
    for part in parts:
        shown = ", ".join(part.paths[:_MOST_PATHS])
        more = len(part.paths) - _MOST_PATHS
        yield FolderRow(part.target, part.summary, f"{shown} and {more} more" if more > 0 else shown)


def _looked_up(known: Signals | None) -> str:
    return known.label if known else ""


def _blocks(value: object) -> Iterator[Block]:
    """Find the blocks in a context, however deep."""
    if isinstance(value, Block):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _blocks(each)
    elif isinstance(value, Runbook | Step | Start | AccuracyTest):
        for field in fields(value):
            yield from _blocks(getattr(value, field.name))
