"""Write what an engine's release can load, read from its unpacked wheel and those of transformers.

    python -m tests.conformance.record.loadable vllm 0.33.0 FOLDER TRANSFORMERS...

FOLDER is the unpacked wheel of the engine, each TRANSFORMERS that of a release which it allows. Nothing of
either is imported: the registries are tables in their sources. The file goes to standard output.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import yaml

from launchplan.catalog.loadable import GENERATING

WIDTH = 110
MAPPING = "CONFIG_MAPPING_NAMES"
VLLM_TABLES = ("_PREVIOUSLY_SUPPORTED_MODELS", "_OOT_SUPPORTED_MODELS")
"""Tables of vLLM's registry whose classes it does not have."""


def main(engine: str, version: str, folder: str, *transformers: str) -> None:
    """Print the fact file."""
    root, libraries = Path(folder), [Path(each) for each in transformers]
    types, classes = (_vllm if engine == "vllm" else _sglang)(root)
    releases = sorted(_release(each) for each in libraries)
    known = types.union(*(_model_types(each) for each in libraries))
    others = set[str]().union(*(_exported(each) for each in libraries)) - classes
    head = {
        "engine": engine,
        "version": version,
        "source": f"registries of the {version} wheel and of transformers {' and '.join(releases)}, read",
        "checked": datetime.now(UTC).date().isoformat(),
        "transformers": " to ".join(dict.fromkeys((releases[0], releases[-1]))),
    }
    sys.stdout.write(yaml.safe_dump(head, sort_keys=False, width=WIDTH))
    for name, values in (("model_types", known), ("classes", classes), ("fallbacks", others)):
        sys.stdout.write(yaml.safe_dump({name: sorted(values)}, default_flow_style=None, width=WIDTH))


def _release(library: Path) -> str:
    (metadata,) = library.glob("transformers-*.dist-info")
    return metadata.name.removeprefix("transformers-").removesuffix(".dist-info")


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def tables_of(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and isinstance(value, ast.expr):
            yield target.id, value


def keys_of(table: ast.expr) -> Iterator[str]:
    """Give the words that a dictionary is keyed by, also those of keyword arguments and of inner ones."""
    for node in ast.walk(table):
        if isinstance(node, ast.Dict):
            yield from (str(key.value) for key in node.keys if isinstance(key, ast.Constant) and key.value)
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg


def _vllm(root: Path) -> tuple[set[str], set[str]]:
    config = dict(tables_of(_tree(root / "vllm/transformers_utils/config.py")))
    types = {*keys_of(config["_CONFIG_REGISTRY"])}
    registry = dict(tables_of(_tree(root / "vllm/model_executor/models/registry.py")))
    tables = {name: table for name, table in registry.items() if name.endswith("_MODELS")}
    return types, {key for name, table in tables.items() if name not in VLLM_TABLES for key in keys_of(table)}


def _sglang(root: Path) -> tuple[set[str], set[str]]:
    types = {
        value.value
        for path in (root / "sglang/srt").rglob("*.py")
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.ClassDef)
        for name, value in tables_of(ast.Module(node.body, []))
        if name == "model_type" and isinstance(value, ast.Constant) and isinstance(value.value, str)
    }
    common = _tree(root / "sglang/srt/utils/hf_transformers/common.py")
    for node in ast.walk(common):  # _CONFIG_REGISTRY["mellum"] = ...
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "_CONFIG_REGISTRY":
            types |= {str(node.slice.value)} if isinstance(node.slice, ast.Constant) else set()
    classes = {
        name.id
        for path in (root / "sglang/srt/models").rglob("*.py")
        for target, entry in tables_of(_tree(path))
        if target == "EntryClass"
        for name in ast.walk(entry)
        if isinstance(name, ast.Name)
    }
    return types, classes


def _model_types(library: Path) -> set[str]:
    """Give the keys of transformers' table of configurations: pairs, and dictionaries that update it."""
    found = set[str]()
    for name in ("auto_mappings.py", "configuration_auto.py"):
        tree = _tree(library / "transformers/models/auto" / name)
        tables = [value for table, value in tables_of(tree) if table == MAPPING]
        tables += [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _updates(node)]
        for node in (node for table in tables for node in ast.walk(table)):
            if isinstance(node, ast.Dict):
                found |= {*keys_of(node)}
            elif isinstance(node, ast.Tuple) and isinstance(node.elts[0], ast.Constant):
                found.add(str(node.elts[0].value))
    return found


def _updates(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and ast.unparse(call.func) == f"{MAPPING}.update"


def _exported(library: Path) -> set[str]:
    return {
        str(name.value)
        for path in (library / "transformers/models").rglob("modeling_*.py")
        for table, names in tables_of(_tree(path))
        if table == "__all__"
        for name in ast.walk(names)
        if isinstance(name, ast.Constant) and str(name.value).endswith(GENERATING)
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
