"""Print the flags and environment variables of the engine that this Python has installed, as JSON.

Run as a file by the engine's own Python: it stands alone, imports nothing of launchplan, and keeps to names,
types, values and defaults. The answer goes to standard output, whatever the engine prints goes to standard
error. Converters are asked what they make of a few words, for their names tell too little.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.metadata
import json
import os
import re
import sys
import tempfile
from typing import Any

OWN = {
    "vllm": ("vllm",),
    "sglang": ("sglang",),
    "vllm-router": ("vllm-router",),
    "sglang-router": ("sglang-router", "sglang_router"),
}


def main(engine: str) -> None:
    """Write what is found to the real standard output."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for name in [each for each in os.environ if each.startswith(("VLLM_", "SGLANG_", "SGL_"))]:
        del os.environ[name]  # defaults, not what this shell sets
    parser = PARSERS[engine]()
    found = {
        "engine": engine,
        "version": version_of(engine),
        "flags": [flag(parser, action) for action in parser._actions],
        "variables": VARIABLES[engine](),
    }
    json.dump(found, answer)
    answer.close()


def version_of(engine: Any) -> Any:
    """Return the version of the package, without the mark of its build."""
    for name in OWN[engine]:
        try:
            return importlib.metadata.version(name).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            continue
    return importlib.import_module(OWN[engine][-1].replace("-", "_")).__version__.partition("+")[0]


def vllm_parser() -> Any:
    """Build the parser of `vllm serve`; its module moved in 0.31 or so."""
    try:
        from vllm.utils.argparse_utils import FlexibleArgumentParser
    except ImportError:
        from vllm.utils import FlexibleArgumentParser
    try:
        from vllm.entrypoints.launchers.cli_args import make_arg_parser
    except ImportError:
        from vllm.entrypoints.openai.cli_args import make_arg_parser
    return make_arg_parser(FlexibleArgumentParser(prog="vllm serve"))


def sglang_parser() -> Any:
    """Build the parser of `sglang serve`."""
    from sglang.srt.server_args import ServerArgs

    parser = argparse.ArgumentParser(prog="sglang serve")
    ServerArgs.add_cli_args(parser)
    return parser


def router_parser(package: Any) -> Any:
    """Build the parser of a router's launch_router."""
    arguments = importlib.import_module(package + ".router_args").RouterArgs
    parser = argparse.ArgumentParser(prog=package)
    arguments.add_cli_args(parser, use_router_prefix=False)
    return parser


def flag(parser: Any, action: Any) -> Any:
    """Describe one option of the parser."""
    known = [name for name, each in parser._option_string_actions.items() if each is action]
    names = list(action.option_strings) + [name for name in known if name not in action.option_strings]
    return {
        "names": names,
        "off": [name for name in names if switches_off(action, name)],
        "dest": action.dest,
        "kind": kind(action),
        "action": "append" if "Append" in type(action).__name__ else "store",
        "help": isinstance(action, argparse._HelpAction),
        "nargs": action.nargs,
        "required": bool(action.required),
        "type": None if action.nargs == 0 else value_type(action),
        "nullable": action.nargs != 0 and is_nullable(action.type),
        "choices": plain(list(action.choices)) if action.choices is not None else None,
        "value_names": value_names(action),
        "default": plain(action.default),
        "deprecated": is_deprecated(parser, action),
        "replaced_by": replacement(parser, action),
    }


def kind(action: Any) -> Any:
    """Tell how many values the option takes."""
    if action.nargs == 0:
        return "switch"
    if action.nargs == "?":
        return "optional-value"
    return (
        "list"
        if action.nargs in ("*", "+") or (isinstance(action.nargs, int) and action.nargs > 1)
        else "value"
    )


def switches_off(action: Any, name: Any) -> Any:
    """Tell whether a spelling of a switch stores false."""
    if action.nargs != 0 or isinstance(action, argparse._HelpAction):
        return False
    space = argparse.Namespace()
    try:
        action(argparse.ArgumentParser(), space, [], name)
    except (Exception, SystemExit):
        return False
    return getattr(space, action.dest, None) is False


WORDS = ("7", "1.5", "4k", "4Ki", "auto", "{}", "[]", "no-JSON", "true")


def value_type(action: Any) -> Any:
    """Tell what a value is read as, by what the converter makes of words."""
    read = action.type
    if type(action).__name__ == "LoRAParserAction":
        return "lora-module"
    if read is None or read is str:
        return text_type(action)
    if read is bool:
        return "opaque"  # every word but the empty one is true
    answers = {word: convert(read, word) for word in WORDS}
    refused = [word for word, (ok, _) in answers.items() if not ok]
    if answers["4k"] == (True, 4000):
        if answers["4Ki"] == (True, 4096):
            return "si-int"
        return "human-int-or-auto" if answers["auto"][0] else "human-int"
    if answers["no-JSON"][0]:
        value = answers["no-JSON"][1]
        if answers["{}"][1] == {}:
            return "json-or-str"
        return "folded-str" if value == "no_json" else ("str" if value == "no-JSON" else "opaque")
    if answers["true"] == (True, True) and "7" in refused:
        return "bool"
    if answers["7"] == (True, 7) and "1.5" in refused and "{}" in refused:
        return "int"
    if answers["1.5"] == (True, 1.5) and "{}" in refused and "true" in refused:
        return "float"
    if answers["{}"][0] and not answers["[]"][0] and answers["{}"][1] != {}:
        return "json-object"
    return "json" if answers["{}"][0] or answers["[]"][0] else "opaque"


def text_type(action: Any) -> Any:
    """Tell whether a text is JSON that the parser leaves to the engine, by what the help calls it."""
    text = (action.help or "").lower()
    if "json" not in text or not re.search(r"(config|args|params)$", action.dest):
        return "str"
    return "json-or-path" if re.search(r"\bfile\b|\bpath\b", text) else "json-text"


def is_nullable(read: Any) -> Any:
    """Tell whether the word None is read as no value."""
    return read is not None and convert(read, "None") == (True, None)


def convert(read: Any, word: Any) -> Any:
    """Return whether a converter takes a word, and what it makes of it."""
    try:
        return True, read(word)
    except Exception:
        return False, None


def value_names(action: Any) -> Any:
    """List the values that a release registers without enforcing them: its metavar."""
    if action.choices is not None or action.nargs == 0:
        return []
    if isinstance(action.metavar, list):
        return [str(name) for name in action.metavar]
    text = action.metavar or ""
    return text[1 : text.index("}")].split(",") if text.startswith("{") and "}" in text else []


def is_deprecated(parser: Any, action: Any) -> Any:
    """Tell whether the release calls the option deprecated: its mark, its action, or its help."""
    marked = getattr(action, "deprecated", False) or action in getattr(parser, "_deprecated", ())
    text = " ".join((action.help or "").lower().split())
    said = re.search(r"(^|[.\[(:] ?)deprecated\b|\bis deprecated\b", text)
    return bool(marked or said or type(action).__name__.startswith("Deprecated"))


def replacement(parser: Any, action: Any) -> Any:
    """Name the option that a deprecated one's help points at."""
    if not is_deprecated(parser, action):
        return None
    names = re.findall(r"--[a-z0-9][a-z0-9._-]*[a-z0-9]", action.help or "")
    known = parser._option_string_actions
    own = set(action.option_strings)
    return next((name for name in names if name not in own and name.split(".")[0] in known), None)


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
    if text == argparse.SUPPRESS or text.startswith(temporary):
        return None
    return "~" + text[len(home) :] if text == home or text.startswith(home + os.sep) else text


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
    return found


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
    return found


def no_variables() -> Any:
    """Routers read none of their own."""
    return []


PARSERS: dict[str, Any] = {
    "vllm": vllm_parser,
    "sglang": sglang_parser,
    "vllm-router": lambda: router_parser("vllm_router"),
    "sglang-router": lambda: router_parser("sglang_router"),
}
VARIABLES: dict[str, Any] = {
    "vllm": vllm_variables,
    "sglang": sglang_variables,
    "vllm-router": no_variables,
    "sglang-router": no_variables,
}

if __name__ == "__main__":
    main(sys.argv[1])
