"""What is published of this model: checkpoints, GPUs, results of accuracy tests and load tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan import catalog
from launchplan.catalog import Gpu
from launchplan.catalog.models import ModelEntry
from launchplan.engines import Launch
from launchplan.render.quoting import shell_word
from launchplan.resolve import Deployment
from launchplan.units import bytes_text

_HUB = "https://huggingface.co"
_NEITHER_HUB = ("/", "./", "../", "~")


@dataclass(frozen=True, slots=True)
class Link:
    """Where to read on."""

    name: str
    address: str

    @property
    def title(self) -> str:
        """The name as it begins a line."""
        return self.name[:1].upper() + self.name[1:]


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """A repository with weights of this model."""

    name: str
    format: str
    """With the GPUs of the plan that do not execute it."""
    size: str
    gpus: str
    """Those that it is made for, as far as its source says."""
    this: bool
    """Whether the plan loads it."""


@dataclass(frozen=True, slots=True)
class MarkRow:
    """What is said of the model on a GPU."""

    gpu: str
    says: str
    source: str


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A result of an accuracy test."""

    test: str
    percent: str
    way: str
    where: str
    source: str


@dataclass(frozen=True, slots=True)
class SpeedRow:
    """A result of a load test on the GPUs of the plan."""

    where: str
    lengths: str
    concurrency: str
    ttft: str
    tpot: str
    rate: str
    source: str


@dataclass(frozen=True, slots=True)
class Published:
    """Everything that is published of the model behind a launch."""

    links: tuple[Link, ...]
    checkpoints: tuple[CheckpointRow, ...]
    marks: tuple[MarkRow, ...]
    scores: tuple[ScoreRow, ...]
    speeds: tuple[SpeedRow, ...]
    search: str
    """The command that looks for other layouts of the model."""

    @property
    def has_checkpoints(self) -> bool:
        """Whether there is a choice of checkpoints."""
        return bool(self.checkpoints)

    @property
    def has_purposes(self) -> bool:
        """Tell whether the source of any checkpoint says what it is made for."""
        return any(row.gpus for row in self.checkpoints)

    @property
    def has_marks(self) -> bool:
        """Whether anything is known of other GPUs."""
        return bool(self.marks)

    @property
    def has_choice(self) -> bool:
        """Whether the model could be served from other weights or on other GPUs."""
        return self.has_checkpoints or self.has_marks

    @property
    def has_scores(self) -> bool:
        """Whether results of accuracy tests are published."""
        return bool(self.scores)

    @property
    def has_speeds(self) -> bool:
        """Whether load tests on these GPUs are published."""
        return bool(self.speeds)


def published(launch: Launch) -> Published:
    """Collect what is published of the model behind a launch."""
    deployment = launch.layout.resolved.deployment
    entry = deployment.model
    model = entry.id if entry is not None else deployment.recipe.value.model
    return Published(
        links=tuple(_links(deployment)),
        checkpoints=tuple(_checkpoints(deployment, _gpus(launch))),
        marks=tuple(_marks(entry)),
        scores=tuple(_scores(entry)),
        speeds=tuple(_speeds(launch)),
        search=f"launchplan fit {shell_word(model)}",
    )


def _links(deployment: Deployment) -> Iterator[Link]:
    """Name the pages of the model and of the checkpoint on the hub."""
    model = deployment.model.id if deployment.model is not None else None
    if model is not None:
        yield Link("model card", f"{_HUB}/{model}")
    checkpoint = deployment.checkpoint
    hosted = checkpoint.count("/") == 1 and not checkpoint.startswith(_NEITHER_HUB)
    if hosted and checkpoint != model:
        yield Link("checkpoint", f"{_HUB}/{checkpoint}")


def _gpus(launch: Launch) -> tuple[Gpu, ...]:
    """Give the GPUs of the plan's pools, each once."""
    found = (layout.pool.gpu for layout in launch.layout.pools)
    return tuple({gpu.id: gpu for gpu in found if gpu is not None}.values())


def _checkpoints(deployment: Deployment, gpus: tuple[Gpu, ...]) -> Iterator[CheckpointRow]:
    """List the checkpoints that the catalog has of the model, where there is a choice."""
    entry = deployment.model
    if entry is None or len(entry.checkpoints) < 2:
        return
    ours = entry.checkpoint(deployment.checkpoint)
    for each in entry.checkpoints:
        size = bytes_text(each.bytes) if each.bytes else "unknown"
        foreign = ", ".join(gpu.id for gpu in gpus if gpu.executes(each.format) is False)
        form = f"{each.format} (not native on {foreign})" if foreign else each.format
        yield CheckpointRow(each.id, form, size, ", ".join(each.gpus), each is ours)


def _marks(entry: ModelEntry | None) -> Iterator[MarkRow]:
    """List the GPUs that the model is known to run on, or not."""
    for mark in entry.hardware if entry is not None else ():
        gpu = catalog.gpu(mark.gpu)
        least = f", {mark.min_gpus} or more" if mark.min_gpus else ""
        yield MarkRow(gpu.name if gpu is not None else mark.gpu, f"{mark.status}{least}", mark.source)


def _scores(entry: ModelEntry | None) -> Iterator[ScoreRow]:
    """List the published results of accuracy tests."""
    for each in entry.scores if entry is not None else ():
        where = ", ".join(part for part in (each.checkpoint, each.engine, each.gpus) if part)
        yield ScoreRow(each.test, str(each.percent), each.way, where, each.source)


def _speeds(launch: Launch) -> Iterator[SpeedRow]:
    """List the published load tests on GPUs of the plan."""
    deployment = launch.layout.resolved.deployment
    ours = {gpu.id for gpu in _gpus(launch)}
    for each in deployment.model.speeds if deployment.model is not None else ():
        if each.gpu not in ours:
            continue
        where = (each.layout, each.checkpoint, f"{each.engine} {each.version}")
        yield SpeedRow(
            ", ".join(part for part in where if part),
            f"{each.prompt_tokens:,} in, {each.output_tokens:,} out",
            f"{each.concurrency:,}",
            _milliseconds(each.ttft_ms),
            _milliseconds(each.tpot_ms),
            f"{each.tokens_per_s_per_gpu:,g}" if each.tokens_per_s_per_gpu is not None else "",
            each.source,
        )


def _milliseconds(time: float | None) -> str:
    return f"{time:,.6g}" if time is not None else ""
