"""What vLLM does to a command line before argparse sees it (vllm/utils/argparse_utils.py, 0.32.0, 0.33.0)."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from typing import Any

from launchplan.engines.arguments import Refusal, Word
from launchplan.engines.convert import human_int


def rewrite(words: Sequence[Word]) -> list[Word]:
    """Bring `vllm serve`'s words to the form that argparse reads.

    `--model X` becomes the positional argument, underscores in names become dashes, `-O3` becomes
    `--optimization-level 3`, and dotted keys (`--speculative-config.method ngram`) are merged into one JSON
    value a flag.
    """
    return _merge_dotted(_respell(_model_first(words)))


def refused_early(words: Sequence[Word]) -> Refusal | None:
    """Say what vLLM itself refuses before argparse: a missing value, or no model beside its served name."""
    last = words[-1] if words else None
    if last is not None and last.text == "--model":
        return Refusal("expected one argument", last.index)
    moved = _model_first(words)
    names = [re.split(r"=", word.text)[0] for word in moved]
    served = re.compile(r"--served[-_]model[-_]name")
    if moved and moved[0].text.startswith("-") and "--config" not in names:
        word = next((word for word, name in zip(moved, names, strict=True) if served.fullmatch(name)), None)
        if word is not None:
            return Refusal("the model comes first where its served name is given", word.index)
    return _config_refused(moved) or _dotted_refused(_respell(moved))


def _config_refused(words: Sequence[Word]) -> Refusal | None:
    place = next((place for place, word in enumerate(words) if word.text == "--config"), None)
    if place is None:
        return None
    file = words[place + 1].text if place + 1 < len(words) else ""
    if file.rpartition(".")[2] in {"yaml", "yml"}:
        return None
    return Refusal("a configuration file ends in .yaml or .yml", words[place].index)


def _dotted_refused(words: Sequence[Word]) -> Refusal | None:
    skip = False
    for place, word in enumerate(words):
        if skip or not _is_dotted(word.text):
            skip = False
            continue
        if "=" not in word.text:
            skip = True
            if place + 1 == len(words):
                decimal = re.fullmatch(r"-\d*\.\d+", word.text)
                cure = f"{word.text} alone is taken for a flag: write --flag={word.text}"
                return Refusal(cure if decimal else "expected one argument", word.index)
    return None


def _model_first(words: Sequence[Word]) -> list[Word]:
    for place, word in enumerate(words):
        if word.text == "--model" and place + 1 < len(words):
            return [words[place + 1], *words[:place], *words[place + 2 :]]
        if word.text.startswith("--model=") and word.text != "--model=":
            model = Word(word.text.removeprefix("--model="), word.index)
            return [model, *words[:place], *words[place + 1 :]]
    return list(words)


def _respell(words: Sequence[Word]) -> list[Word]:
    found: list[Word] = []
    for place, word in enumerate(words):
        text = word.text
        if text.startswith("--help="):
            found.append(Word("--help", word.index))
        elif text.startswith("--") and "_" in text:
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


def _is_dotted(text: str) -> bool:
    """Tell whether a word is taken for a key of a JSON flag; so is a negative decimal, `-0.5`."""
    return text.startswith("-") and "." in text.partition("=")[0]


def _merge_dotted(words: Sequence[Word]) -> list[Word]:
    plain: list[Word] = []
    merged: dict[str, tuple[int, dict[str, Any]]] = {}
    skip = False
    for place, word in enumerate(words):
        if skip:
            skip = False
            continue
        name, sign, value = word.text.partition("=")
        if not _is_dotted(word.text) or (not sign and place + 1 == len(words)):
            plain.append(word)
            continue
        if not sign:
            value, skip = words[place + 1].text, True
        if name.endswith("+"):
            name, value = name[:-1], json.dumps(value.split(","))
        flag, *keys = name.split(".")
        _, held = merged.setdefault(flag, (word.index, {}))
        _update(held, _nested(keys, _value(value)))
    for flag, (index, held) in merged.items():
        plain += [Word(flag, index), Word(json.dumps(held), index)]
    return plain


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pass
    try:
        return human_int(text)
    except (ValueError, argparse.ArgumentTypeError):
        return text


def _nested(keys: Sequence[str], value: Any) -> dict[str, Any]:
    for key in reversed(keys):
        value = {key: value}
    found: dict[str, Any] = value
    return found


def _update(held: dict[str, Any], new: dict[str, Any]) -> None:
    """Merge mappings, join lists, and let the last of anything else win."""
    for key, value in new.items():
        old = held.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            _update(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            held[key] = old + value
        else:
            held[key] = value
