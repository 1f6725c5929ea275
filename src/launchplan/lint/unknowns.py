"""Words whose value the file does not say: what they may be, and which findings hang on them.

A value that nobody knows is left out once and filled in with samples of its type; what is found in every one
of these commands is true whatever the value is. Where a variable may add flags, only findings are kept that
one written word alone decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from launchplan import catalog
from launchplan.catalog import EngineFacts, Flag
from launchplan.finding import Finding
from launchplan.lint.found import Launch
from launchplan.lint.shell import UNKNOWN_SIGN, Token

HARMLESS = frozenset(
    {
        *("host", "port", "api_key", "admin_api_key", "served_model_name", "download_dir", "root_path"),
        *("master_addr", "master_port", "node_rank", "data_parallel_address", "data_parallel_rpc_port"),
        *("data_parallel_start_rank", "dist_init_addr", "nccl_port", "disaggregation_bootstrap_port"),
        *("chat_template", "ssl_keyfile", "ssl_certfile", "ssl_ca_certs", "allowed_origins", "middleware"),
        *("log_level", "uvicorn_log_level", "log_config_file", "otlp_traces_endpoint", "fastapi_root_path"),
        *("base_gpu_id", "revision", "hf_token", "seed", "random_seed"),
    }
)
"""Flags whose value decides nothing that a rule compares, by the parser's name."""
SELF_CONTAINED = frozenset({"ENG101", "ENG103", "ENG106", "ENG107", "ENG112", "ENG406"})
"""Findings that one written word decides, whatever stands beside it."""
_INTEGERS = frozenset({"int", "human-int", "human-int-or-auto"})
_SAMPLES = 2
_PLACEHOLDER = re.compile(
    r"\[--?[A-Za-z][^\[\]]*|[\w-]+\]|\.\.\.|\u2026|\[[A-Za-z][A-Za-z _-]*(?:\.\.\.)?\]?|\[\.\.\.\]"
)
"""How documents write words that they leave out."""


@dataclass(slots=True)
class Reading:
    """A launch's arguments, sorted by what is known of them. Words carry their index among all words."""

    known: list[tuple[int, str]] = field(default_factory=list)
    """Words that are as they are, with a stand-in for a value that decides nothing."""
    doubtful: list[tuple[int, Flag | None, int | None, str, str]] = field(default_factory=list)
    """Place in `known`, flag, index of the value's word (None: in the flag's), the word and the value."""
    unknown: list[tuple[Token, str]] = field(default_factory=list)
    """Tokens with an unknown value that something depends on, and the name of their flag."""
    open: list[Token] = field(default_factory=list)
    """Tokens that may be any number of arguments."""
    foreign: list[Token] = field(default_factory=list)
    """Flags of a program around the engine, which the engine never sees."""
    own: list[Token] = field(default_factory=list)
    """The script's own arguments behind a whole command: none, where it is started without any."""


def read_tokens(launch: Launch, facts: EngineFacts | None) -> Reading:
    """Sort a launch's arguments."""
    reading = Reading()
    place, tokens = launch.start, launch.tokens
    while place < len(tokens):
        token = tokens[place]
        name, sign, value = token.text.partition("=")
        flag = _flag(facts, name)
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        if _is_foreign(launch, facts, token):
            reading.foreign.append(token)
            while place + 1 < len(tokens) and not tokens[place + 1].text.startswith("-"):
                place += 1
        elif _PLACEHOLDER.fullmatch(token.text) and not token.unknown:
            reading.open.append(replace(token, unknown=(token.text,), open=True))
        elif not token.unknown and not token.open:
            reading.known.append((place, token.text))
            takes = flag is not None and not sign and flag.kind != "switch"
            if takes and following is not None and following.unknown and not following.text.startswith("-"):
                reading.known.pop()
                _value(reading, place, place + 1, following, flag, token.text, following.text)
                place += 1
        elif sign and token.text.startswith("-") and UNKNOWN_SIGN not in name:
            _value(reading, place, None, token, flag, name, value)
        elif _is_model(launch, facts, place):
            reading.known.append((place, "model"))
        elif not token.open and place > launch.start and _awaits_value(facts, tokens[place - 1]):
            reading.known.append((place, "1"))  # the value of a flag that nobody knows
        elif token.unknown == ("$@",) and not launch.in_function and _names_model(launch, place):
            reading.own.append(token)
        else:
            reading.open.append(token)
        place += 1
    return reading


def _is_foreign(launch: Launch, facts: EngineFacts | None, token: Token) -> bool:
    """Tell whether a flag is the wrapper's own: the engine's release has none of the name."""
    name = token.text.partition("=")[0]
    if launch.wrapper is None or facts is None or not name.startswith("-") or UNKNOWN_SIGN in name:
        return False
    return facts.match(name.partition(".")[0]) is None and not name[1:2].isdigit()


def _is_model(launch: Launch, facts: EngineFacts | None, place: int) -> bool:
    """Tell whether an unknown word is the model, which vLLM takes without a flag, first or behind flags."""
    token = launch.tokens[place]
    if launch.engine != "vllm" or token.text.startswith("-"):
        return False
    if place == launch.start:
        return True
    first = launch.tokens[launch.start]
    named = not first.text.startswith("-") or _names_model(launch, place)
    return not (named or token.open or launch.partial or _awaits_value(facts, launch.tokens[place - 1]))


def _awaits_value(facts: EngineFacts | None, token: Token) -> bool:
    """Tell whether a word is a flag whose value is the next word."""
    if not token.text.startswith("--") or "=" in token.text:
        return False
    flag = _flag(facts, token.text)
    return flag is None or flag.kind != "switch"


def _names_model(launch: Launch, end: int) -> bool:
    words = launch.tokens[launch.start : end]
    given = any(word.text.partition("=")[0] in {"--model", "--model-path"} for word in words)
    return given or (
        launch.engine == "vllm" and bool(words) and not words[0].text.startswith("-") and words[0].known
    )


def _flag(facts: EngineFacts | None, name: str) -> Flag | None:
    if facts is None or not name.startswith("-"):
        return None
    found = facts.match(name.partition(".")[0])
    if isinstance(found, Flag):
        return found
    return None


def _value(
    reading: Reading, place: int, index: int | None, token: Token, flag: Flag | None, word: str, value: str
) -> None:
    if flag is not None and flag.dest in HARMLESS:
        text = value.replace(UNKNOWN_SIGN, "1")
        if index is None:
            reading.known.append((place, f"{word}={text}"))
        else:
            reading.known += [(place, word), (index, text)]
        return
    model = flag is not None and flag.dest in {
        "model_tag",
        "model_path",
        "model",
        "tokenizer",
        "tokenizer_path",
    }
    if model or word in {"--model", "--model-path"}:
        stand_in = value.replace(UNKNOWN_SIGN, "model")
        reading.known += (
            [(place, f"{word}={stand_in}")] if index is None else [(place, word), (index, stand_in)]
        )
        return
    reading.doubtful.append((len(reading.known), flag, index, word, value))
    reading.known.append((place, ""))
    reading.unknown.append((token, word))


def commands(reading: Reading) -> Iterator[list[tuple[int, str]]]:
    """Give the commands that it may be: without what is not known, then with samples of it."""
    if not reading.doubtful:
        yield reading.known
        return
    for sample in range(-1, _SAMPLES):
        filled: dict[int, list[tuple[int, str]]] = {}
        for place, flag, index, word, value in reading.doubtful:
            start = reading.known[place][0]
            filled[place] = [] if sample < 0 else _filled(start, flag, index, word, value, sample)
        yield [each for i, entry in enumerate(reading.known) for each in filled.get(i, [entry])]


def _filled(
    start: int, flag: Flag | None, index: int | None, word: str, value: str, sample: int
) -> list[tuple[int, str]]:
    text = value.replace(UNKNOWN_SIGN, _sample(flag, value, sample))
    return [(start, f"{word}={text}")] if index is None else [(start, word), (index, text)]


def _sample(flag: Flag | None, value: str, sample: int) -> str:
    """Give a value that the parser takes."""
    if value != UNKNOWN_SIGN or flag is None:
        return "12"[sample]
    if flag.choices:
        named = [str(choice) for choice in flag.choices if choice is not None]
        return named[0 if sample == 0 else -1]
    if flag.type in _INTEGERS:
        return ("1", "64")[sample]
    if flag.type == "float":
        return ("0.1", "0.9")[sample]
    if flag.is_json:
        return json.dumps({})
    return "true" if flag.type == "bool" else ("auto", "none")[sample]


def common(found: Sequence[Sequence[Finding]]) -> list[Finding]:
    """Keep what is found whatever the values are, and nothing about memory when some are not known."""
    first, *others = found
    if not others:
        return list(first)
    keys = [{(each.code, each.path, each.message) for each in findings} for findings in others]
    return [
        each
        for each in first
        if not each.code.startswith("MEM")
        and all((each.code, each.path, each.message) in key for key in keys)
    ]


def known_environment(env: Mapping[str, Token]) -> dict[str, str]:
    """Give the variables whose value is known."""
    return {name: token.text for name, token in env.items() if token.known}


def facts_of(engine: str, version: str) -> EngineFacts | None:
    """Give the flags by which words are told from values."""
    known = catalog.versions(engine)
    return catalog.nearest_facts(engine, version) or (
        catalog.engine_facts(engine, known[0]) if known else None
    )
