"""Which names a release of an engine has, read in its sources: model classes and values of flags."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from launchplan.catalog.loadable import GENERATING
from launchplan.catalog.releases import STAGELESS
from tests.conformance.record.constants import Constants
from tests.conformance.record.loadable import VLLM_TABLES, keys_of, tables_of
from tests.conformance.record.stages import LISTED, stageless
from tests.conformance.record.wheels import texts

Reader = Callable[[Path], Iterable[str]]
VLLM = "vllm/model_executor/models"
SGLANG = "sglang/srt"
CHOICES = (f"{SGLANG}/server_args.py", f"{SGLANG}/arg_groups/**/*.py")
SGLANG_PARSERS = (
    f"{SGLANG}/function_call_parser.py", f"{SGLANG}/function_call/*.py", f"{SGLANG}/reasoning_parser.py",
    f"{SGLANG}/parser/reasoning_parser*.py",
)  # fmt: skip


def vllm_classes(place: Path) -> Iterator[str]:
    """The keys of the registry's tables; before 0.6.3 it stood beside the models."""
    found = texts(place, f"{VLLM}/registry.py") or texts(place, f"{VLLM}/__init__.py")
    for source in found.values():
        for name, table in tables_of(ast.parse(source)):
            if name.endswith("_MODELS") and name not in VLLM_TABLES:
                yield from keys_of(table)


def sglang_classes(place: Path) -> Iterator[str]:
    """The classes that modules of models name as theirs."""
    for source in texts(place, f"{SGLANG}/models/**/*.py").values():
        for name, table in tables_of(ast.parse(source)):
            if name == "EntryClass":
                yield from (each.id for each in ast.walk(table) if isinstance(each, ast.Name))


def transformers_classes(place: Path) -> Iterator[str]:
    """The generating classes that the library maps to model types."""
    for source in texts(place, "transformers/models/auto/modeling_auto.py").values():
        words = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
        yield from (word for word in words if isinstance(word, str) and word.endswith(GENERATING))


def _parsers(manager: str, table: str, flag: str, *folders: str) -> Reader:
    def read(place: Path) -> Iterator[str]:
        known = Constants(texts(place, *(f"{folder}/*.py" for folder in folders)).values())
        found = {*known.registered(manager), *(known.named(table) if table in known else ())}
        yield from found or _declared(place, flag, "vllm/entrypoints/openai/cli_args.py")

    return read


@lru_cache(maxsize=1)
def _constants(place: Path, *patterns: str) -> Constants:
    """Read sources once for all flags of a release."""
    return Constants(texts(place, *patterns).values())


def _declared(place: Path, flag: str, *patterns: str) -> Iterator[str]:
    known = _constants(place, *patterns)
    choices = known.choices(flag)
    yield from known.names(choices) if choices is not None else ()


def vllm_quantization(place: Path) -> Iterator[str]:
    known = Constants(texts(place, "vllm/model_executor/layers/quantization/__init__.py").values())
    for name in ("QUANTIZATION_METHODS", "_QUANTIZATION_CONFIG_REGISTRY"):
        if name in known:
            yield from known.named(name)
            return


def vllm_cache_types(place: Path) -> Iterator[str]:
    known = Constants(texts(place, "vllm/config.py", "vllm/config/*.py").values())
    if "CacheDType" in known:
        yield from known.named("CacheDType")
    else:
        yield from _declared(place, "--kv-cache-dtype", "vllm/engine/arg_utils.py")


def _sglang_choices(flag: str) -> Reader:
    return lambda place: _declared(place, flag, *SGLANG_PARSERS, *CHOICES)


OPENAI = "vllm/entrypoints/openai"
READERS: Mapping[str, Mapping[str, tuple[str, Reader]]] = {
    "vllm": {
        "classes": (f"{VLLM}/registry.py (before 0.6.3 __init__.py)", vllm_classes),
        STAGELESS: (
            f"classes of {VLLM} without SupportsPP or intermediate_tensors (before 0.6.3 not in {LISTED})",
            lambda place: stageless(place, vllm_classes(place)),
        ),
        "--tool-call-parser": (
            f"vllm/tool_parsers (before 0.13.0 {OPENAI}/tool_parsers, before 0.6.3 {OPENAI}/cli_args.py)",
            _parsers("ToolParserManager", "_TOOL_PARSERS_TO_REGISTER", "--tool-call-parser",
                     "vllm/tool_parsers", f"{OPENAI}/tool_parsers"),
        ),
        "--reasoning-parser": (
            f"vllm/reasoning (before 0.9.0 {OPENAI}/reasoning_parsers)",
            _parsers("ReasoningParserManager", "_REASONING_PARSERS_TO_REGISTER", "--reasoning-parser",
                     "vllm/reasoning", f"{OPENAI}/reasoning_parsers"),
        ),
        "--quantization": ("vllm/model_executor/layers/quantization/__init__.py", vllm_quantization),
        "--kv-cache-dtype": (
            "CacheDType of vllm/config/cache.py (before 0.10.1 vllm/config.py, before 0.8.0 choices of arg_utils)",
            vllm_cache_types,
        ),
    },
    "sglang": {
        "classes": (f"EntryClass of {SGLANG}/models", sglang_classes),
    } | {
        flag: (f"choices of {SGLANG}/server_args.py", _sglang_choices(flag))
        for flag in (
            "--tool-call-parser", "--reasoning-parser", "--quantization", "--kv-cache-dtype",
            "--attention-backend", "--prefill-attention-backend", "--decode-attention-backend",
            "--moe-runner-backend", "--moe-a2a-backend", "--load-format", "--grammar-backend",
        )
    },
    "transformers": {"classes": ("transformers/models/auto/modeling_auto.py", transformers_classes)},
}  # fmt: skip
"""By project and list: where it stands, and what reads it below the folder of a release."""
