"""`launchplan new`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from launchplan.cli.draft import SCHEMA_FILE, Draft, Layout, draft_name
from launchplan.cli.exits import CLEAN, ERRORS, UNREADABLE
from launchplan.cli.inputs import STDIN, say_findings
from launchplan.cli.layouts import Sizes, choose_layout
from launchplan.cli.output import emit, say
from launchplan.finding import Severity

if TYPE_CHECKING:
    from launchplan.api import Report
    from launchplan.catalog import Gpu, ModelEntry

EngineName = Literal["vllm", "sglang"]
FeatureName = Literal["tools", "reasoning"]
_UNCHECKED = "FAC"
"""Findings that say what of a recipe is not known, and so not checked."""
_COUNT = click.IntRange(min=1)


@dataclass(frozen=True, slots=True)
class Answers:
    """What the user said, by flag or when asked."""

    model: str
    gpu: str
    engine: str
    nodes: int
    gpus_per_node: int
    fabric: str | None


@click.command()
@click.option("--model", metavar="ID", help="Catalog id, hub id, or path to a config.json.")
@click.option("--checkpoint", metavar="ID", help="What the engine loads; left out: the model's own.")
@click.option("--gpu", metavar="ID", help="Accelerator: see `launchplan list gpus`.")
@click.option("--nodes", type=_COUNT, help="Hosts.")
@click.option("--gpus-per-node", type=_COUNT, help="GPUs used on each host; left out: what such a host has.")
@click.option("--fabric", metavar="ID", help="What connects the hosts: see `launchplan list fabrics`.")
@click.option("--engine", type=click.Choice(get_args(EngineName)), help="Left out: vllm.")
@click.option("--engine-version", metavar="VERSION", help="Left out: the newest that the catalog knows.")
@click.option("--tp", type=_COUNT, help="Tensor parallel size; left out: chosen, with pp and dp.")
@click.option("--pp", type=_COUNT, help="Pipeline stages.")
@click.option("--dp", type=_COUNT, help="Data parallel ranks.")
@click.option("--ep", type=_COUNT, help="Expert parallel size.")
@click.option("--dcp", type=_COUNT, help="Decode context parallel size.")
@click.option("--max-model-len", type=_COUNT, metavar="TOKENS", help="Longest request, prompt and output.")
@click.option("--mtp", type=_COUNT, metavar="TOKENS", help="Draft tokens by multi-token prediction.")
@click.option(
    "--feature", "features", type=click.Choice(get_args(FeatureName)), multiple=True, help="May be repeated."
)
@click.option(
    "--name", metavar="NAME", help="Name of the deployment; left out: made from model and machines."
)
@click.option("-o", "--output", metavar="FILE", help="Left out: NAME.yaml; '-' is standard output.")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
def new(output: str | None, force: bool, **wishes: Any) -> int:
    """Write a recipe that passes `launchplan check`.

    Asks for what the flags leave open when it runs in a terminal.
    """
    answers = _answers(wishes)
    draft, report = _best_draft(answers, wishes)
    if not report.ok:
        errors = tuple(finding for finding in report.findings if finding.severity is Severity.ERROR)
        say_findings(errors, text=draft.text())
        other = _other_checkpoint(answers, wishes)
        say(f"with --checkpoint {other} it passes; nothing written\n" if other else "nothing written\n")
        return ERRORS if report.readable else UNREADABLE
    _write(_with_fabric_asked(draft, report), output, force=force)
    unknown = [finding for finding in report.findings if finding.code.startswith(_UNCHECKED)]
    say("".join("; ".join(filter(None, (each.message, each.fix))) + "\n" for each in unknown))
    return CLEAN


def _with_fabric_asked(draft: Draft, report: Report) -> Draft:
    unknown = report.plan is not None and any(pool.fabric is None for pool in report.plan.resolved.pools)
    return replace(draft, asks_fabric=draft.nodes > 1 and unknown)


def _answers(wishes: dict[str, Any]) -> Answers:
    """Complete the flags by asking, or by saying which are missing where nobody can be asked."""
    asking = sys.stdin.isatty()
    missing = [f"--{name}" for name in ("model", "gpu") if wishes[name] is None]
    if missing and not asking:
        raise click.UsageError(f"{' and '.join(missing)} must be given where there is no terminal to ask")
    model = wishes["model"] or _ask("Model", _known_model)
    gpu = wishes["gpu"] or _ask("GPU", _known_gpu)
    usual = _usual_gpus_per_node(gpu)
    if not (missing and asking):
        per_node = wishes["gpus_per_node"] or usual
        if per_node is None:
            raise click.UsageError(_gpus_not_known(gpu))
        engine = wishes["engine"] or "vllm"
        return Answers(model, gpu, engine, wishes["nodes"] or 1, per_node, wishes["fabric"])
    nodes = wishes["nodes"] or click.prompt("Nodes", type=_COUNT, default=1, err=True)
    per_node = wishes["gpus_per_node"] or click.prompt(
        "GPUs per node", type=_COUNT, default=usual or 8, err=True
    )
    fabric = wishes["fabric"]
    if fabric is None and nodes > 1:
        fabric = _ask("Fabric between the nodes (empty: not known)", _known_fabric) or None
    choice = click.Choice(get_args(EngineName))
    engine = wishes["engine"] or click.prompt("Engine", type=choice, default="vllm", err=True)
    return Answers(model, gpu, engine, nodes, per_node, fabric)


def _gpus_not_known(gpu: str) -> str:
    from launchplan import catalog

    text = f"--gpus-per-node must be given: what a host with {gpu} has is not known"
    near = catalog.nearest_gpu(gpu) if catalog.gpu(gpu) is None else None
    return text + (f"; did you mean {near}?" if near else "")


def _ask(question: str, known: Callable[[str], str]) -> str:
    """Ask until the answer is known; an empty line is an answer, too."""
    answer: str = click.prompt(question, default="", show_default=False, value_proc=known, err=True)
    return answer


def _known_gpu(name: str) -> str:
    from launchplan import catalog

    if not name:
        raise click.UsageError("name a GPU of `launchplan list gpus`")
    if catalog.gpu(name) is None:
        near = catalog.nearest_gpu(name)
        raise click.UsageError(
            f"'{name}' is not in the catalog" + (f"; did you mean {near}?" if near else "")
        )
    return name


def _known_fabric(name: str) -> str:
    from launchplan import catalog

    if name and catalog.fabric(name) is None:
        near = catalog.nearest_fabric(name)
        raise click.UsageError(
            f"'{name}' is not in the catalog; "
            + (f"did you mean {near}?" if near else "see `launchplan list fabrics`")
        )
    return name


def _known_model(name: str) -> str:
    from launchplan import catalog

    if not name:
        raise click.UsageError(
            "name a model of `launchplan list models`, a hub id, or the path of a config.json"
        )
    if catalog.model(name) is None and not Path(name).exists() and "/" not in name:
        near = catalog.nearest_model(name)
        raise click.UsageError(
            f"'{name}' is no model of the catalog" + (f"; did you mean {near}?" if near else "")
        )
    return name


def _usual_gpus_per_node(name: str) -> int | None:
    from launchplan import catalog

    gpu = catalog.gpu(name)
    return gpu.gpus_per_node if gpu else None


def _best_draft(answers: Answers, wishes: dict[str, Any]) -> tuple[Draft, Report]:
    from launchplan import catalog
    from launchplan.fit.windows import usual_window

    entry, gpu = catalog.model(answers.model), catalog.gpu(answers.gpu)
    checkpoint = wishes["checkpoint"] or _checkpoint_meant(answers.model, entry)
    window = _window(entry, checkpoint)
    usual = usual_window(window)
    known = catalog.versions(answers.engine)
    per_node = answers.gpus_per_node
    draft = Draft(
        name=wishes["name"] or draft_name(checkpoint or answers.model, answers.nodes, per_node, answers.gpu),
        model=entry.id if entry else answers.model,
        checkpoint=checkpoint,
        engine=answers.engine,
        version=wishes["engine_version"] or known[-1],
        gpu=answers.gpu,
        nodes=answers.nodes,
        gpus_per_node=per_node,
        fabric=answers.fabric,
        layout=Layout(),
        max_model_len=wishes["max_model_len"] or (usual if usual != window else None),
        model_window=window,
        mtp_tokens=wishes["mtp"],
        features=tuple(dict.fromkeys(wishes["features"])),
    )
    sizes = Sizes(**{name: wishes[name] for name in ("tp", "pp", "dp", "ep", "dcp")})
    return _passing(draft, sizes, _domain(gpu), window_fixed=wishes["max_model_len"] is not None)


def _passing(draft: Draft, sizes: Sizes, domain_gpus: int, *, window_fixed: bool) -> tuple[Draft, Report]:
    """Give a draft the layout that passes, with the code of the model's repository only where it must."""
    from launchplan import api

    def check(candidate: Draft) -> Report:
        return api.check(candidate.text())

    found = choose_layout(draft, sizes, domain_gpus, check, window_fixed=window_fixed)
    if found[1].ok:
        return found
    trusting = replace(draft, trust_remote_code=True)
    other = choose_layout(trusting, sizes, domain_gpus, check, window_fixed=window_fixed)
    return other if other[1].ok else found


def _other_checkpoint(answers: Answers, wishes: dict[str, Any]) -> str | None:
    """Name the first other checkpoint that passes, where nobody asked for one."""
    from launchplan import catalog

    entry = catalog.model(answers.model)
    if entry is None or wishes["checkpoint"] or _checkpoint_meant(answers.model, entry):
        return None
    ids = (checkpoint.id for checkpoint in entry.checkpoints)
    return next((each for each in ids if _best_draft(answers, wishes | {"checkpoint": each})[1].ok), None)


def _checkpoint_meant(model: str, entry: ModelEntry | None) -> str | None:
    """Keep the checkpoint when the user named one where a model was asked for."""
    if entry is None or entry.id.casefold() == model.casefold():
        return None
    found = entry.checkpoint(model)
    return found.id if found else None


def _window(entry: ModelEntry | None, checkpoint: str | None) -> int | None:
    if entry is None:
        return None
    known = checkpoint if checkpoint and entry.checkpoint(checkpoint) else None
    return entry.architecture(known).derived_max_model_len


def _domain(gpu: Gpu | None) -> int:
    return gpu.scale_up_domain_gpus if gpu else 1


def _write(draft: Draft, output: str | None, *, force: bool) -> None:
    from launchplan.cli.write import write_file

    if output == STDIN:
        emit(draft.text())
        return
    path = Path(output or f"{draft.name}.yaml")
    model = Path(draft.model)
    if model.exists():
        # A path in a recipe starts from the recipe's folder, the user's from the current one.
        draft = replace(draft, model=path_from(model, path.parent))
    draft = replace(draft, schema=_schema(path.parent))
    write_file(path, draft.text(), overwrite=force)
    emit(f"{path}\nnext: launchplan check {path}\n")


def _schema(folder: Path) -> str | None:
    """Find the recipe's schema: beside the recipe, or published by the repository that it lies in."""
    if (folder / SCHEMA_FILE).is_file():
        return SCHEMA_FILE
    here = folder.resolve()
    places = (above / "docs" / "schema" / SCHEMA_FILE for above in (here, *here.parents))
    found = next((place for place in places if place.is_file()), None)
    return os.path.relpath(found, here) if found else None


def path_from(path: Path, folder: Path) -> str:
    """Write a path that starts from the current folder as one that starts from another."""
    if path.is_absolute():
        return str(path)
    text = os.path.relpath(path, folder)
    return text if text.startswith(".") else f"./{text}"
