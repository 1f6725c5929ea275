"""Turn a command's arguments into the recipe that says the same."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from launchplan.catalog import EngineFacts
from launchplan.engines.arguments import Arguments, Word
from launchplan.engines.sglang.build import ALGORITHMS
from launchplan.engines.sglang.build import SERVE_FLAGS as SGLANG_SERVE
from launchplan.engines.vllm.build import SERVE_FLAGS as VLLM_SERVE
from launchplan.finding import KeyPath
from launchplan.recipe.schema import Parallel, Serve, Speculative

_VLLM_PARALLEL = {
    "tensor_parallel_size": "tp",
    "pipeline_parallel_size": "pp",
    "data_parallel_size": "dp",
    "decode_context_parallel_size": "dcp",
}
_SGLANG_PARALLEL = {"tp_size": "tp", "pp_size": "pp", "ep_size": "ep", "dcp_size": "dcp"}
_ENDPOINT = {"host": "host", "port": "port"}
_RENDEZVOUS = frozenset({
    "nnodes", "node_rank", "master_addr", "master_port", "dist_init_addr", "headless",
    "data_parallel_address", "data_parallel_rpc_port", "data_parallel_size_local", "data_parallel_start_rank",
})  # fmt: skip
"""Flags that say which host this is; a recipe's hardware says it for all of them."""


@cache
def _reader(section: type[BaseModel], key: str) -> TypeAdapter[Any]:
    field = section.model_fields[key]
    annotated: Any = field.annotation
    for condition in field.metadata:
        annotated = Annotated[annotated, condition]
    return TypeAdapter(annotated)


def takes(section: type[BaseModel], key: str, value: Any) -> bool:
    """Tell whether a recipe's key takes a value; the engine may take more, and then it stands in `args`."""
    try:
        _reader(section, key).validate_python(value, strict=True)
    except ValidationError:
        return False
    return True


def read_object(text: Any) -> dict[str, Any] | None:
    """Read a JSON object; None for whatever else."""
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def scaled_positions(unread: Sequence[Word]) -> tuple[dict[str, Any], int] | None:
    """Give what `--rope-scaling` of older releases replaced in the model's config, and where it stands.

    The window was the original length times the factor (vllm 0.8.5 config.py, `_get_and_verify_max_len`).
    """
    for place, word in enumerate(unread):
        name, sign, value = word.text.partition("=")
        if name.replace("_", "-") != "--rope-scaling":
            continue
        following = "".join(each.text for each in unread[place + 1 : place + 2])
        scaling = read_object(value if sign else following)
        if scaling is None:
            return None
        length, factor = scaling.get("original_max_position_embeddings"), scaling.get("factor")
        found: dict[str, Any] = {"rope_scaling": scaling}
        if isinstance(length, int) and isinstance(factor, int | float):
            found["max_position_embeddings"] = int(length * factor)
        return found, word.index
    return None


@dataclass(frozen=True, slots=True)
class Translation:
    """Sections of a recipe, and which word each key came from."""

    sections: dict[str, Any]
    words: Mapping[KeyPath, int]
    nodes: int | None
    """Hosts that the command speaks of; None when it doesn't."""


def recipe_of(arguments: Arguments) -> Translation:
    """Say as a recipe's sections what a command says; flags without a key of their own go to `args`."""
    engine = arguments.facts.engine
    return (_Vllm if engine == "vllm" else _Sglang)(arguments).translate()


def _single(value: Any) -> Any:
    """Take the only value of a flag that may have several."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


_SERVE_KEYS: dict[int, tuple[EngineFacts, Mapping[str, str]]] = {}
"""Keys of a recipe's `serve` by the parser's name of their flag, for each release once.

Nothing else decides them: the engine is the facts' own. The facts are kept with them, so that their identity
stays the key; the catalog has a handful, and a program that records more reads one file for each.
"""


class _Translator(ABC):
    """Collects keys; each remembers the word that it came from."""

    serve: Mapping[str, str]
    parallel: Mapping[str, str]

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.sections: dict[str, Any] = {"parallel": {}, "serve": {}, "args": {}}
        self.words: dict[KeyPath, int] = {}
        self.done: set[str] = set()

    def translate(self) -> Translation:
        self.special()
        keys = self._serve_keys()
        for name, index in self.arguments.given.items():
            value = self.arguments[name]
            if name in self.done or name in _RENDEZVOUS:
                continue
            if name in self.parallel and takes(Parallel, self.parallel[name], value):
                self.put(("parallel", self.parallel[name]), value, index)
            elif name in keys and value is not None and takes(Serve, keys[name], _single(value)):
                self.put(("serve", keys[name]), _single(value), index)
            else:
                flag = self.arguments.facts.flag_of(name)
                self.put(("args", (flag.name if flag else name).removeprefix("--")), value, index)
        return Translation(self.sections, self.words, self.nodes())

    @abstractmethod
    def special(self) -> None:
        """Put what more than one flag says, or one flag says in another way than the recipe."""

    def nodes(self) -> int | None:
        """Tell how many hosts the command speaks of."""
        count = self.arguments["nnodes"]
        return count if "nnodes" in self.arguments and isinstance(count, int) else None

    def put(self, path: KeyPath, value: Any, index: int) -> None:
        held = self.sections
        for part in path[:-1]:
            held = held.setdefault(str(part), {})
        held[str(path[-1])] = value
        self.words[path] = index

    def take(self, name: str, path: KeyPath, value: Any) -> None:
        self.done.add(name)
        self.put(path, value, self.arguments.given[name])

    def _serve_keys(self) -> Mapping[str, str]:
        facts = self.arguments.facts
        if id(facts) not in _SERVE_KEYS:
            flags = {key: facts.find(name) for key, name in self.serve.items()}
            keys = _ENDPOINT | {flag.dest: key for key, flag in flags.items() if flag is not None}
            _SERVE_KEYS[id(facts)] = (facts, keys)
        return _SERVE_KEYS[id(facts)][1]

    def parsers(self) -> None:
        for name, key in (("tool_call_parser", "tool_parser"), ("reasoning_parser", "reasoning_parser")):
            value = self.arguments[name]
            if name in self.arguments and value and takes(Serve, key, value) and name not in self.idle():
                self.take(name, ("serve", key), value)

    def idle(self) -> frozenset[str]:
        """Name the parsers' flags whose values this command has the engine not look up."""
        return frozenset()


_BALANCING = {
    "data_parallel_hybrid_lb": "hybrid",
    "data_parallel_external_lb": "external",
    "data_parallel_multi_port_external_lb": "external",
    "data_parallel_rank": "external",
}


class _Vllm(_Translator):
    serve = VLLM_SERVE
    parallel = _VLLM_PARALLEL

    def idle(self) -> frozenset[str]:
        """A tool parser is looked up beside one switch only (`parser/parser_manager.py:34`, 0.33.0)."""
        return frozenset() if self.arguments["enable_auto_tool_choice"] else frozenset({"tool_call_parser"})

    def special(self) -> None:
        given = self.arguments
        if given["enable_expert_parallel"] and "enable_expert_parallel" in given:
            size = given["tensor_parallel_size"] * given["data_parallel_size"]
            if takes(Parallel, "ep", size):
                self.take("enable_expert_parallel", ("parallel", "ep"), size)
        if "enable_auto_tool_choice" in given and given["tool_call_parser"]:
            self.done.add("enable_auto_tool_choice")
        for name, key in (
            ("enable_prefix_caching", "prefix_caching"),
            ("trust_remote_code", "trust_remote_code"),
        ):
            if name in given:
                self.take(name, ("serve", key), given[name])
        for name, mode in _BALANCING.items():
            if name in given and given[name] is not False and given[name] is not None:
                self.take(name, ("parallel", "load_balancing"), mode)
        scaled = scaled_positions(given.unread)
        if scaled is not None and "hf_overrides" not in given:
            self.put(("serve", "hf_overrides"), *scaled)
        self.parsers()
        self._speculative(given["speculative_config"])
        self.done.add("model_tag")

    def _speculative(self, config: Any) -> None:
        if not isinstance(config, dict) or "speculative_config" not in self.arguments:
            return
        names = {"method": "method", "num_speculative_tokens": "tokens", "model": "model"}
        section = {ours: config[theirs] for theirs, ours in names.items() if theirs in config}
        if "method" in section and all(takes(Speculative, key, value) for key, value in section.items()):
            rest = {key: value for key, value in config.items() if key not in names}
            self.take("speculative_config", ("speculative",), section | ({"options": rest} if rest else {}))

    def nodes(self) -> int | None:
        given = self.arguments
        local = given["data_parallel_size_local"]
        if (
            "nnodes" not in given
            and "data_parallel_size_local" in given
            and isinstance(local, int)
            and local > 0
        ):
            replicas = int(given["data_parallel_size"])
            return max(1, replicas // local) if replicas % local == 0 else None
        return _Translator.nodes(self)


class _Sglang(_Translator):
    serve = SGLANG_SERVE
    parallel = _SGLANG_PARALLEL

    def special(self) -> None:
        given = self.arguments
        self._data_parallel()
        if "kv_cache_dtype" in given:
            self.take("kv_cache_dtype", ("serve", "kv_cache_dtype"), given["kv_cache_dtype"])
        if given["disable_radix_cache"] and "disable_radix_cache" in given:
            self.take("disable_radix_cache", ("serve", "prefix_caching"), value=False)
        if given["trust_remote_code"] and "trust_remote_code" in given:
            self.take("trust_remote_code", ("serve", "trust_remote_code"), value=True)
        overrides = read_object(given["json_model_override_args"])
        if overrides and "json_model_override_args" in given:
            self.take("json_model_override_args", ("serve", "hf_overrides"), overrides)
        self.parsers()
        self._speculative()
        self.done.add("model_path")

    def _data_parallel(self) -> None:
        """Split `--tp-size` into attention replicas, as a recipe counts them."""
        given = self.arguments
        attention = given["attn_dp_size"] or 1
        name = "attn_dp_size"
        if given["enable_dp_attention"] and "enable_dp_attention" in given:
            attention, name = given["dp_size"] or 1, "dp_size"
            self.done.add("enable_dp_attention")
        if attention > 1 and name in given:
            tp = given["tp_size"]
            self.take(name, ("parallel", "dp"), attention)
            if "tp_size" in given:
                self.take("tp_size", ("parallel", "tp"), max(1, tp // attention))
        elif "dp_size" in given and takes(Parallel, "dp", given["dp_size"]):
            self.take("dp_size", ("parallel", "dp"), given["dp_size"])
            self.sections["parallel"]["attention_dp"] = False

    def _speculative(self) -> None:
        given = self.arguments
        algorithm = given["speculative_algorithm"]
        if "speculative_algorithm" not in given or not isinstance(algorithm, str):
            return
        methods = {theirs: ours for ours, theirs in ALGORITHMS.items()}
        section: dict[str, Any] = {"method": methods.get(algorithm.upper(), algorithm)}
        if given["speculative_draft_model_path"] and "speculative_draft_model_path" in given:
            section["model"] = given["speculative_draft_model_path"]
            self.done.add("speculative_draft_model_path")
        options = {
            name.removeprefix("speculative_"): given[name]
            for name in given.given
            if name.startswith("speculative_")
            and name not in {"speculative_algorithm", "speculative_draft_model_path"}
        }
        self.done |= {f"speculative_{name}" for name in options}
        self.take(
            "speculative_algorithm", ("speculative",), section | ({"options": options} if options else {})
        )
