"""Lists of names in sources, read without running them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

COPIES = frozenset({"frozenset", "get_args", "list", "set", "sorted", "tuple"})
"""Calls that give the names of their argument."""


class Constants:
    """What the names of some sources stand for; the last assignment counts, wherever it stands."""

    def __init__(self, sources: Iterable[str]) -> None:
        self.trees = [ast.parse(source) for source in sources]
        self._values: dict[str, ast.expr] = {}
        self._functions: dict[str, ast.FunctionDef] = {}
        for node in (node for tree in self.trees for node in ast.walk(tree)):
            if isinstance(node, ast.FunctionDef):
                self._functions[node.name] = node
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self._values[node.targets[0].id] = node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
                self._values[node.target.id] = node.value

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def named(self, name: str) -> list[str]:
        """The names that a variable holds."""
        return list(self._names(self._values[name]))

    def names(self, node: ast.expr) -> list[str]:
        """The names that an expression gives; raises ValueError where it is not plain enough to read."""
        return list(self._names(node))

    def _names(self, node: ast.expr) -> Iterator[str]:
        match node:
            case ast.Constant(value=value):
                yield from () if value is None else (str(value),)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                for item in items:
                    yield from self._names(item.value if isinstance(item, ast.Starred) else item)
            case ast.Dict(keys=keys):
                for key in keys:
                    yield from self._names(key) if key else ()
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                yield from self._names(left)
                yield from self._names(right)
            case ast.Subscript(value=ast.Name(id="Literal"), slice=inner):
                yield from self._names(inner)
            case ast.Call(func=ast.Attribute(attr="keys", value=inner)):
                yield from self._names(inner)
            case ast.Call(func=ast.Name(id=name), args=[inner]) if name in COPIES:
                yield from self._names(inner)
            case ast.Call(func=ast.Name(id=name), args=[]) if name in self._functions:
                yield from self._names(self._returned(name))
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in self._values:
                yield from self._names(self._values[name])
            case _:
                raise ValueError(f"no list of names: {ast.unparse(node)}")

    def _returned(self, name: str) -> ast.expr:
        """What a function gives at its end."""
        found = [
            each.value for each in self._functions[name].body if isinstance(each, ast.Return) and each.value
        ]
        if not found:
            raise ValueError(f"{name} gives nothing at its end")
        return found[-1]

    def choices(self, flag: str) -> ast.expr | None:
        """The choices that a parser is given for a flag, or that stand beside the field of its name."""
        field = flag.removeprefix("--").replace("-", "_")
        for node in (node for tree in self.trees for node in ast.walk(tree)):
            if (
                isinstance(node, ast.AnnAssign)
                and isinstance(node.target, ast.Name)
                and node.target.id == field
            ):
                calls = [each for each in ast.walk(node.annotation) if isinstance(each, ast.Call)]
            elif isinstance(node, ast.Call) and any(
                isinstance(each, ast.Constant) and each.value == flag for each in node.args
            ):
                calls = [node]
            else:
                continue
            for keyword in (keyword for call in calls for keyword in call.keywords):
                if keyword.arg == "choices":
                    return keyword.value
        return None

    def registered(self, manager: str) -> Iterator[str]:
        """The names that classes are registered under at a manager."""
        for node in (node for tree in self.trees for node in ast.walk(tree)):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if (
                    name == manager and attr in {"register_module", "register_lazy_module"}
                ):
                    given = [*node.args, *(each.value for each in node.keywords if each.arg == "name")]
                    yield from self._names(given[0]) if given and _is_plain(given[0]) else ()


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.List | ast.Tuple)
