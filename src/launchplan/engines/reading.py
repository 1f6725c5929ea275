"""Read a command's arguments as a release did whose flags may not be known exactly.

Where they are, the parser's verdict is the engine's. Between two known releases a flag or value is refused
only when both refuse it, or when it is known with which release it went; before the oldest known release
nothing else is refused, nor of a build that has changes of its own. What can't be judged is left out, and the
rest is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from launchplan import catalog
from launchplan.catalog import EngineFacts
from launchplan.catalog.version import is_same_release, version_key
from launchplan.engines.arguments import Arguments, Refusal, Word, read_arguments
from launchplan.engines.vllm.words import refused_early, rewrite

_PAIRS_UNTIL = {"limit_mm_per_prompt": (0, 10)}
"""Flags that took `key=value` before a release (vllm 0.9.2 engine/arg_utils.py)."""


def read_words(engine: str, version: str, words: Sequence[Word]) -> Arguments | None:
    """Read the words after the program; None for an engine that no release is known of."""
    facts = catalog.nearest_facts(engine, version) or _oldest(engine)
    if facts is None:
        return None
    early = refused_early(words) if engine == "vllm" else None
    if early is not None:
        return replace(read_arguments(facts, rewrite(words)), refusal=early)
    rewritten = rewrite(words) if engine == "vllm" else list(words)
    gone = next((word for word in rewritten if _is_gone(engine, version, word.text)), None)
    if gone is not None:
        arguments = read_arguments(facts, [word for word in rewritten if word is not gone])
        refusal = Refusal(f"unrecognized arguments: {gone.text}", gone.index, None, gone.text)
        return replace(arguments, refusal=refusal)
    arguments, unread = read_arguments(facts, rewritten), list[Word]()
    if is_same_release(version, facts.version):
        return arguments
    others, asked = catalog.judging_facts(engine, version)[1:], version_key(version)
    while arguments.refusal is not None and not _is_sure(arguments, others, asked, rewritten):
        place = _place(rewritten, arguments)
        if place is None:
            break
        unread += rewritten[place]
        del rewritten[place]
        arguments = read_arguments(facts, rewritten)
    return replace(arguments, unread=tuple(unread))


def _oldest(engine: str) -> EngineFacts | None:
    known = catalog.versions(engine)
    return catalog.engine_facts(engine, known[0]) if known else None


def read_past_refusals(engine: str, version: str, words: Sequence[Word]) -> Arguments | None:
    """Read words as `read_words` does, and the rest of them too where the parser refuses one.

    The first refusal is kept.
    """
    arguments = read_words(engine, version, words)
    if arguments is None or arguments.refusal is None:
        return arguments
    first, rest = arguments.refusal, rewrite(words) if engine == "vllm" else list(words)
    place = _place(rest, arguments)
    while place is not None:
        del rest[place]
        arguments = read_arguments(arguments.facts, rest)
        place = _place(rest, arguments)
    return replace(arguments, refusal=first)


def _is_gone(engine: str, version: str, text: str) -> bool:
    history = catalog.flag_history(engine) if text.startswith("--") else None
    return history is not None and history.is_gone(text.partition("=")[0].partition(".")[0], version)


def _is_sure(
    arguments: Arguments, others: Sequence[EngineFacts], asked: tuple[int, ...], words: Sequence[Word]
) -> bool:
    """Tell whether the asked release refuses the words too."""
    refusal = arguments.refusal
    name = (refusal.unknown or "").partition("=")[0] if refusal else ""
    if name and not name.startswith("-"):
        return True  # a word that belongs to no flag
    if refusal is not None and refusal.flag is not None and refusal.flag.type in {"json", "json-object"}:
        # What is no JSON is none in any release, except where pairs as `image=2` were taken once.
        return refusal.flag.dest not in _PAIRS_UNTIL or not asked or asked >= _PAIRS_UNTIL[refusal.flag.dest]
    if not asked:  # a name such as `main`: newer than every release, or a build of its own
        return arguments.facts.match(name) is None and name.startswith("--")
    return bool(others) and all(read_arguments(each, words).refusal is not None for each in others)


def _place(words: Sequence[Word], arguments: Arguments) -> slice | None:
    """Find the flag that was refused, with its values."""
    refusal = arguments.refusal
    start = next((i for i, word in enumerate(words) if refusal and word.index == refusal.index), None)
    if start is None:
        return None
    end = start + 1
    while end < len(words) and not words[end].text.startswith("-"):
        end += 1
    return slice(start, end)
