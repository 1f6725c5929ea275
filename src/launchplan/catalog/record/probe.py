"""Print the flags and environment variables of the engine that this Python has installed, as JSON.

Run as a file by the engine's own Python: it stands alone, imports nothing of launchplan, and keeps to names,
types, values and defaults. The answer goes to standard output, whatever the engine prints goes to standard
error. Converters are asked what they make of a few words, for their names tell too little.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import os
import re
import sys
from typing import Any

from probe_variables import convert, plain, sglang_variables, vllm_variables

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
    if answers["{}"][0] and not answers["[]"][0]:
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


def value_names(action: Any) -> Any:
    """List the values that a release registers without enforcing them: its metavar."""
    if action.choices is not None or action.nargs == 0:
        return []
    if isinstance(action.metavar, list):
        return [str(name) for name in action.metavar]
    text = action.metavar if isinstance(action.metavar, str) else ""
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
