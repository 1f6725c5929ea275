"""What an engine's parser makes of one word: counts, JSON, names."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

from launchplan.catalog.engines import ValueType

_MULTIPLIERS = {
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "K": 2**10,
    "M": 2**20,
    "G": 2**30,
    "T": 2**40,
}


def human_int(text: str) -> int:
    """Read `4k` as 4,000, `4K` as 4,096; `1.5m` is fine, `1.5M` is not (vllm/utils/argparse_utils.py)."""
    text = text.strip()
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kKmMgGtT])", text)
    if found is None:
        return int(text)
    number, suffix = found.groups()
    if suffix.isupper() and "." in number:
        raise argparse.ArgumentTypeError(
            f"{text}: no decimals before {suffix}; write {number}{suffix.lower()}"
        )
    return int(float(number) * _MULTIPLIERS[suffix])


def _human_int_or_auto(text: str) -> int:
    return -1 if text.strip() == "-1" or text.strip().lower() == "auto" else human_int(text)


def _si_int(text: str) -> int:
    # sglang/srt/utils/common.py:3394 (0.5.23)
    text = text.strip()
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|k|M|G|T)", text)
    if found is None:
        return int(text)
    number, suffix = found.groups()
    if len(suffix) == 1:
        return int(Decimal(number) * _MULTIPLIERS[suffix.lower()])
    if "." in number:
        raise argparse.ArgumentTypeError(f"{text}: no decimals before {suffix}; write {number}{suffix[0]}")
    return int(number) * _MULTIPLIERS[suffix[0].upper()]


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise argparse.ArgumentTypeError(f"not JSON: {error.msg} at column {error.colno}") from error


def _json_object(text: str) -> Any:
    # Numbers outside strings may be written as 80m (vllm/engine/arg_utils.py, 0.33.0).
    parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(
            r"\b\d+(?:\.\d+)?[kKmMgGtT]\b", lambda found: str(human_int(found[0])), parts[place]
        )
    value = _json("".join(parts))
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"{text} is no JSON object")
    return value


def _json_or_text(text: str) -> Any:
    return _json(text) if re.match(r"(?s)^\s*{.*}\s*$", text) else text


def _lora_module(text: str) -> str:
    # vllm/entrypoints/launchers/cli_args.py:LoRAParserAction (0.32.0)
    if text and ("=" not in text or "," in text):
        adapter = _json(text)
        if not isinstance(adapter, dict) or not {"name", "path"} <= set(adapter):
            raise argparse.ArgumentTypeError(f"{text} is neither name=path nor JSON with name and path")
    return text


def _truth(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise argparse.ArgumentTypeError(f"{text} is neither true nor false")
    return text.lower() == "true"


_CONVERTERS: dict[ValueType | None, Callable[[str], Any]] = {
    None: str,
    "str": str,
    "int": int,
    "float": float,
    "bool": _truth,
    "human-int": human_int,
    "human-int-or-auto": _human_int_or_auto,
    "si-int": _si_int,
    "json": _json,
    "json-object": _json_object,
    "json-or-path": str,
    "json-or-str": _json_or_text,
    "json-text": str,
    "folded-str": lambda text: text.lower().replace("-", "_"),
    "lora-module": _lora_module,
    "opaque": str,
}


_WORDS: dict[ValueType | None, str] = {
    "int": "whole number",
    "float": "number",
    "human-int": "whole number",
    "human-int-or-auto": "whole number",
    "si-int": "whole number",
}
"""What argparse calls a value in its complaint."""
_LARGEST = 10**300
"""What is larger cannot be divided: no float holds it."""


@cache
def converter(kind: ValueType | None, *, nullable: bool = False) -> Callable[[str], Any]:
    """Give the function that reads a value; raises as argparse expects for a value that is none."""
    convert = _CONVERTERS[kind]

    def read(text: str) -> Any:
        if nullable and text in {"", "None"}:
            return None
        value = convert(text)
        if isinstance(value, int) and abs(value) > _LARGEST:
            raise argparse.ArgumentTypeError("more digits than any number that an engine computes with")
        return value

    read.__name__ = _WORDS.get(kind, kind or "text")
    return read
