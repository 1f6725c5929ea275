"""Which model classes of a vLLM release run over pipeline stages, read in their sources.

A class does where `SupportsPP` is among its bases, or it sets `supports_pp`, and its `forward` takes
`intermediate_tensors` (vllm 0.33.0 model_executor/models/interfaces.py:864, `supports_pp`; the same since
0.6.3). Before, the classes were listed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.record.constants import Constants
from tests.conformance.record.loadable import VLLM_TABLES, tables_of
from tests.conformance.record.wheels import texts

MODELS = "vllm.model_executor.models"
LISTED, MARK, GIVEN = "_PP_SUPPORTED_MODELS", "SupportsPP", "intermediate_tensors"


VARIANTS = 3
"""Vendors that a package has code of its own for."""
Names = dict[str, list[ast.stmt]]


@dataclass(frozen=True, slots=True)
class Class:
    """A class of a module, or what stands for one; `node` is None for one of another package."""

    name: str
    module: str = ""
    node: ast.ClassDef | None = None


class Modules:
    """The modules of one release, read when they are asked for."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._read: dict[str, Names] = {}

    def bases(self, module: str, name: str, variant: int = 0) -> list[Class]:
        """A class and what it inherits from, as Python orders it where no base is asked for in two ways.

        Of a name that a module defines several times, as packages with code for each vendor do, the one of
        the variant counts, or the last.
        """
        every = list(self._walk(module, name, frozenset(), variant))
        return [each for place, each in enumerate(every) if each not in every[place + 1 :]]

    def _walk(
        self, module: str, name: str, seen: frozenset[tuple[str, str]], variant: int
    ) -> Iterator[Class]:
        found = self._names(module).get(name, ())
        node = found[min(variant, len(found) - 1)] if found else None
        if node is None or (module, name) in seen:
            yield Class(name)
            return
        seen |= {(module, name)}
        match node:
            case ast.ImportFrom():
                original = next(each.name for each in node.names if name in {each.name, each.asname})
                yield from self._walk(self._source(module, node), original, seen, variant)
                return
            case ast.ClassDef():
                yield Class(name, module, node)
                given = node.bases
            case ast.Assign(value=ast.Call(args=given)):  # a function that makes a class of one
                pass
            case ast.Assign(value=value):
                given = [value]
            case _:
                given = []
        for base in given:
            plain = base.value if isinstance(base, ast.Subscript) else base
            made = plain.args if isinstance(plain, ast.Call) else [plain]
            for each in made:
                if isinstance(each, ast.Name):
                    yield from self._walk(module, each.id, seen, variant)
                else:
                    yield Class(ast.unparse(each))

    def _names(self, module: str) -> Names:
        """Where each name of a module is defined or imported."""
        if module not in self._read:
            path, found = self._path(module), Names()
            tree = ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])
            for node in _outer(tree.body):
                for name in _named(node):
                    found.setdefault(name, []).append(node)
            self._read[module] = found
        return self._read[module]

    def _path(self, module: str) -> Path:
        place = self._place / module.replace(".", "/")
        return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")

    def _source(self, module: str, node: ast.ImportFrom) -> str:
        """The module that a statement imports from."""
        if not node.level:
            return node.module or ""
        parts = module.split(".")
        up = node.level - (self._path(module).name == "__init__.py")
        return ".".join([*parts[: len(parts) - up], *([node.module] if node.module else [])])


def _outer(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module outside of functions and classes."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try):
            inner = (part for part in (node.body, node.orelse, getattr(node, "finalbody", [])))
            yield from _outer(each for part in inner for each in part)


def _named(node: ast.stmt) -> list[str]:
    """The names that a statement gives something."""
    match node:
        case ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
            return [name]
        case ast.ImportFrom(names=names):
            return [each.asname or each.name for each in names]
    return []


def has_stages(bases: list[Class]) -> bool:
    """Tell whether a class with these bases runs over pipeline stages."""
    marked = any(each.node is not None and (each.name == MARK or _sets_mark(each.node)) for each in bases)
    return marked and next((takes for each in bases if (takes := _takes_tensors(each)) is not None), False)


def _sets_mark(node: ast.ClassDef) -> bool:
    for each in node.body:
        target = each.targets[0] if isinstance(each, ast.Assign) else getattr(each, "target", None)
        value = getattr(each, "value", None)
        if isinstance(target, ast.Name) and target.id == "supports_pp":
            return isinstance(value, ast.Constant) and value.value is True
    return False


def _takes_tensors(each: Class) -> bool | None:
    """Tell whether the `forward` of a class takes what comes from the stage before; None without one."""
    if each.node is None:
        return False if each.name.endswith("Module") else None
    for part in each.node.body:
        if isinstance(part, ast.FunctionDef) and part.name == "forward":
            given = part.args
            names = {arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
            return GIVEN in names or given.kwarg is not None
    return None


def registered(place: Path) -> Iterator[tuple[str, str, str]]:
    """Each class of the registry: its name, and the module and name of what builds it."""
    for source in texts(place, f"{MODELS.replace('.', '/')}/registry.py").values():
        for table, value in tables_of(ast.parse(source)):
            if not table.endswith("_MODELS") or table in VLLM_TABLES:
                continue
            for node in (node for node in ast.walk(value) if isinstance(node, ast.Dict)):
                for key, held in zip(node.keys, node.values, strict=True):
                    match key, held:
                        case ast.Constant(value=str(name)), ast.Tuple(
                            elts=[ast.Constant(value=str(module)), ast.Constant(value=str(built)), *_]
                        ):
                            yield name, module if module.startswith("vllm.") else f"{MODELS}.{module}", built


def stageless(place: Path, classes: Iterable[str]) -> Iterator[str]:
    """The classes of a release that do not run over pipeline stages."""
    listed = Constants(texts(place, "vllm/config.py").values())
    if LISTED in listed:
        yield from sorted({*classes} - {*listed.named(LISTED)})
        return
    modules = Modules(place)
    for name, module, built in registered(place):
        found = [modules.bases(module, built, variant) for variant in range(VARIANTS)]
        if all(bases[0].node and not has_stages(bases) for bases in found):
            yield name
