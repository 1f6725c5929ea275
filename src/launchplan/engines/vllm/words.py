"""What vLLM does to a command line before argparse sees it (vllm/utils/argparse_utils.py, 0.33.0)."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from typing import Any

from launchplan.engines.arguments import Word, human_int


def rewrite(words: Sequence[Word]) -> list[Word]:
    """Bring `vllm serve`'s words to the form that argparse reads.

    `--model X` becomes the positional argument, underscores in names become dashes, `-O3` becomes
    `--optimization-level 3`, and dotted keys (`--speculative-config.method ngram`) are merged into one JSON
    value a flag.
    """
    return _merge_dotted(_respell(_model_first(words)))


def _model_first(words: Sequence[Word]) -> list[Word]:
    for place, word in enumerate(words):
        if word.text == "--model" and place + 1 < len(words):
            return [words[place + 1], *words[:place], *words[place + 2 :]]
        if word.text.startswith("--model="):
            model = Word(word.text.removeprefix("--model="), word.index)
            return [model, *words[:place], *words[place + 1 :]]
    return list(words)


def _respell(words: Sequence[Word]) -> list[Word]:
    found: list[Word] = []
    for place, word in enumerate(words):
        text = word.text
        if text.startswith("--"):
            name, sign, value = text.partition("=")
            stem, dot, rest = name.partition(".")
            found.append(Word(f"{stem.replace('_', '-')}{dot}{rest}{sign}{value}", word.index))
        elif text.startswith("-O") and text != "-O":
            level = text[3:] if text[2] == "=" else text[2:]
            found += [Word("--optimization-level", word.index), Word(level, word.index)]
        elif text == "-O" and place + 1 < len(words) and words[place + 1].text in {"0", "1", "2", "3"}:
            found.append(Word("--optimization-level", word.index))
        else:
            found.append(word)
    return found


def _merge_dotted(words: Sequence[Word]) -> list[Word]:
    plain: list[Word] = []
    merged: dict[str, tuple[int, dict[str, Any]]] = {}
    skip = False
    for place, word in enumerate(words):
        if skip:
            skip = False
            continue
        name, sign, value = word.text.partition("=")
        if not word.text.startswith("-") or "." not in name or _is_number(word.text):
            plain.append(word)
            continue
        if not sign:
            if place + 1 == len(words):
                plain.append(word)
                continue
            value, skip = words[place + 1].text, True
        if name.endswith("+"):
            name, value = name[:-1], json.dumps(value.split(","))
        flag, *keys = name.split(".")
        _, held = merged.setdefault(flag, (word.index, {}))
        _put(held, keys, _value(value))
    for flag, (index, held) in merged.items():
        plain += [Word(flag, index), Word(json.dumps(held), index)]
    return plain


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-\d+(\.\d+)?|-\d*\.\d+", text) is not None


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pass
    try:
        return human_int(text)
    except (ValueError, argparse.ArgumentTypeError):
        return text


def _put(held: dict[str, Any], keys: list[str], value: Any) -> None:
    for key in keys[:-1]:
        inner = held.get(key)
        if not isinstance(inner, dict):
            inner = held[key] = {}
        held = inner
    last = keys[-1]
    old = held.get(last)
    held[last] = old + value if isinstance(old, list) and isinstance(value, list) else value
