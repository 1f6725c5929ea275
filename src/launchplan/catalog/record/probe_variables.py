"""The variables that an engine reads, and plain values: the second half of the probe.

Beside `probe.py` in the process that an engine's Python runs; it stands alone, too.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import re
import tempfile
from typing import Any

DIRECT = (
    r"(?:getenv|environ\.get|env_var\w*)\(\s*[\"'](%s[A-Z0-9_]+)[\"']"
    r"|environ\[\s*[\"'](%s[A-Z0-9_]+)[\"']\s*\](?!\s*=[^=])"
)
"""Where a module reads a variable by its name, past the engine's own list."""


def convert(read: Any, word: Any) -> Any:
    """Return whether a converter takes a word, and what it makes of it."""
    try:
        return True, read(word)
    except Exception:  # whatever the engine's own converter raises
        return False, None


def plain(value: Any) -> Any:
    """Return a value as JSON has it, None for an object of the engine or a place of this machine."""
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    inner = getattr(value, "value", value)  # an enumeration
    if isinstance(inner, str):
        return text_of(inner)
    return inner if isinstance(inner, (bool, int, float)) or inner is None else None


def text_of(text: Any) -> Any:
    """Return a text without what this machine or this run put into it."""
    home, temporary = os.path.expanduser("~"), tempfile.gettempdir()
    if text == home or text.startswith(home + os.sep):  # before the other: a home may lie below it
        return "~" + text[len(home) :]
    return None if text == argparse.SUPPRESS or text.startswith(temporary) else text


def vllm_variables() -> Any:
    """List the variables of `vllm/envs.py`; their types stand in its source only."""
    from vllm import envs

    with open(envs.__file__, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    stated = {
        node.target.id: node
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    for name in envs.environment_variables:
        os.environ.pop(name, None)
    found = []
    for name, value in defaults_of(envs).items():
        node, default = stated.get(name), value
        kind = annotated(ast.unparse(node.annotation) if node else "")
        if node and isinstance(node.value, ast.Constant) and is_made_up(default, node.value.value):
            default = None
        if kind["type"] is None and default is not None:
            kind["type"] = {bool: "bool", int: "int", float: "float", str: "str", list: "list"}.get(
                type(default)
            )
        if kind["type"] == "bool" and not reads_truth(name, envs.environment_variables[name]):
            kind["type"] = "bool-int"
        found.append({"name": name, "default": default, **kind})
    return found + read_directly("vllm", "VLLM_", {each["name"] for each in found})


def reads_truth(name: str, read: Any) -> Any:
    """Tell whether a switch takes the word true."""
    os.environ[name] = "true"
    taken, _ = convert(lambda _: read(), "")
    del os.environ[name]
    return taken


def is_made_up(default: Any, stated: Any) -> Any:
    """Tell whether a name was drawn for this process."""
    texts = isinstance(default, str) and isinstance(stated, str)
    return texts and default != stated and len(default) >= 20 and "/" not in default


def defaults_of(envs: Any) -> Any:
    """Ask for every variable's value while none is set."""
    answers = {
        name: convert(lambda _, read=read: read(), "") for name, read in envs.environment_variables.items()
    }
    return {name: plain(value) if ok else None for name, (ok, value) in answers.items()}


def annotated(text: Any) -> Any:
    """Read a type annotation: `Literal['a', 'b'] | None`, `int`, `dict[str, int]`."""
    if "Literal[" in text:
        start = text.index("Literal[") + 8
        inner = text[start : text.index("]", start)]
        return {"type": "str", "choices": [str(each) for each in ast.literal_eval("[" + inner + "]")]}
    head = text.replace("Optional[", "").split("[")[0].split("|")[0].strip(" ]")
    names = {"set": "list", "tuple": "list", "dict": "json", "Any": None, "Callable": None}
    return {"type": names.get(head, head if head in ("str", "int", "float", "bool", "list") else None)}


def sglang_variables() -> Any:
    """List the fields of SGLang's `Envs`."""
    from sglang.srt.environ import envs

    types = {"EnvBool": "bool", "EnvInt": "int", "EnvFloat": "float", "EnvStr": "str", "EnvTuple": "list"}
    found = []
    for name, each in vars(type(envs)).items():
        if not hasattr(each, "default") or name.startswith("_"):
            continue
        kind = next((types[base.__name__] for base in type(each).__mro__ if base.__name__ in types), None)
        default = None if callable(each.default) else plain(each.default)
        found.append({"name": getattr(each, "name", None) or name, "type": kind, "default": default})
    return found + read_directly("sglang", "SGL(?:ANG)?_", {each["name"] for each in found})


def read_directly(package: Any, prefix: Any, known: Any) -> Any:
    """List the variables that modules of a package read by name and that its own list lacks."""
    spec: Any = importlib.util.find_spec(package)
    root, names = os.path.dirname(spec.origin), set[str]()
    reads = re.compile(DIRECT % (prefix, prefix))
    for folder, inner, files in os.walk(root):
        inner[:] = [each for each in inner if each not in ("test", "tests")]
        for file in files:
            if file.endswith(".py"):
                with open(os.path.join(folder, file), encoding="utf-8", errors="replace") as source:
                    names.update(found[1] or found[2] for found in reads.finditer(source.read()))
    return [{"name": name, "type": None, "default": None} for name in sorted(names - known)]
