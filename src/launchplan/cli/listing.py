"""`launchplan list`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args

import click

from launchplan.cli.output import emit, say

Kind = Literal["models", "gpus", "fabrics", "clusters", "engines", "recipes", "rules", "targets"]
Row = Mapping[str, object]
_TABLE_COLUMNS = 5
"""Keys of a row that the table shows; JSON has them all."""


@click.command("list")
@click.argument("kind", type=click.Choice(get_args(Kind)), metavar="|".join(get_args(Kind)))
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def listing(kind: Kind, as_json: bool) -> None:
    """List what launchplan knows or ships."""
    rows = _ROWS[kind]()
    emit(json.dumps(rows, indent=2, ensure_ascii=False) + "\n" if as_json else _text(rows))


def _text(rows: Sequence[Row]) -> str:
    from launchplan.report.tables import table

    if not rows:
        return ""
    header = list(rows[0])[:_TABLE_COLUMNS]
    return table(header, [[_cell(row[name]) for name in header] for row in rows])


def _cell(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(str(item) for item in value)
        case _:
            return str(value)


def _models() -> list[Row]:
    from launchplan import catalog
    from launchplan.units import bytes_text

    return [
        {
            "checkpoint": checkpoint.id,
            "format": checkpoint.format,
            "size": bytes_text(checkpoint.bytes) if checkpoint.bytes else None,
            "model": entry.id,
            "title": entry.title,
            "bytes": checkpoint.bytes,
        }
        for entry in catalog.models()
        for checkpoint in entry.checkpoints
    ]


def _gpus() -> list[Row]:
    from launchplan import catalog

    return [
        {
            "gpu": gpu.id,
            "name": gpu.name,
            "memory_gib": round(gpu.memory_gib, 1) if gpu.memory_gib is not None else None,
            "gpus_per_node": gpu.gpus_per_node,
            "formats": list(gpu.formats),
            "vendor": gpu.vendor,
            "aliases": list(gpu.aliases),
        }
        for gpu in catalog.gpus()
    ]


def _fabrics() -> list[Row]:
    from launchplan import catalog

    return [
        {"fabric": one.id, "name": one.name, "kind": one.kind, "rdma": one.rdma, "aliases": list(one.aliases)}
        for one in catalog.fabrics()
    ]


def _clusters() -> list[Row]:
    from launchplan import catalog

    return [
        {"cluster": one.id, "provider": one.provider, "gpu": one.gpu, "gpus_per_node": one.gpus_per_node,
         "fabric": one.fabric, "name": one.name, "instance": one.instance}
        for one in catalog.cluster_presets()
    ]  # fmt: skip


def _engines() -> list[Row]:
    from launchplan import catalog

    return [
        {"engine": name, "version": version, "flags": len(facts.flags), "checked": facts.checked}
        for name in ("vllm", "sglang", "vllm-router", "sglang-router")
        for version in catalog.versions(name)
        if (facts := catalog.engine_facts(name, version)) is not None
    ]


def _recipes() -> list[Row]:
    from launchplan.cli.inputs import shipped_recipes
    from launchplan.errors import InputError
    from launchplan.recipe import load_recipe

    rows: list[Row] = []
    for name, path in shipped_recipes().items():
        if "/" not in name:
            continue  # the same file under its short name
        try:
            value = load_recipe(path).value
        except InputError as error:
            say(f"{path}: {error}\n")
            continue
        rows.append(
            {
                "recipe": value.name,
                "engine": " ".join(filter(None, (value.engine.name, value.engine.version))),
                "nodes": value.hardware.nodes,
                "gpu": value.hardware.gpu,
                "summary": value.summary,
                "file": str(path),
                "model": value.model,
            }
        )
    return rows


def _rules() -> list[Row]:
    from launchplan.rules import RULES

    return [
        {"code": rule.code, "name": rule.name, "severity": rule.severity.word, "engines": list(rule.engines),
         "title": rule.title}
        for rule in RULES
    ]  # fmt: skip


def _targets() -> list[Row]:
    from launchplan.render import TARGETS

    return [{"target": name, "summary": target.summary} for name, target in TARGETS.items()]


_ROWS: Mapping[Kind, Callable[[], list[Row]]] = {
    "models": _models,
    "gpus": _gpus,
    "fabrics": _fabrics,
    "clusters": _clusters,
    "engines": _engines,
    "recipes": _recipes,
    "rules": _rules,
    "targets": _targets,
}
