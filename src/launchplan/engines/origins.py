"""The values that an engine fills in where the recipe is silent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from launchplan.engines.sglang.view import SglangView
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.view import VllmView
from launchplan.finding import dotted
from launchplan.resolve.origins import Origin


@dataclass(frozen=True, slots=True)
class _Filled:
    """One value of an engine: its flag's name in the parser, the recipe's key, what it is and why."""

    dest: str
    key: tuple[str, ...]
    value: object
    note: str


def engine_origins(views: Iterable[EngineView]) -> tuple[Origin, ...]:
    """List what each pool's engine resolves by itself, with what decides it."""
    found: list[Origin] = []
    for view in views:
        for each in _filled(view):
            if each.dest not in view.arguments and each.value is not None:
                key = dotted(view.pool.path(*each.key))
                found.append(Origin(key, each.value, "engine", each.note))
    return tuple(found)


def _filled(view: EngineView) -> Iterator[_Filled]:
    if isinstance(view, VllmView) and view.settings.known:
        yield from _vllm(view)
    elif isinstance(view, SglangView) and view.settings.complete:
        yield from _sglang(view)


def _vllm(view: VllmView) -> Iterator[_Filled]:
    held, gpu = view.settings, f"an API server on {view.pool.gpu_name}"
    draft = "the draft model's window"
    if held.max_model_len != held.derived_max_model_len:
        yield _Filled("max_model_len", ("serve", "max_model_len"), held.max_model_len, draft)
    yield _Filled("dtype", ("serve", "dtype"), held.dtype, "type of the checkpoint, as the GPU has it")
    method = "method of the checkpoint"
    yield _Filled("quantization", ("serve", "quantization"), held.quantization, method)
    asks = "what checkpoint and model class ask for"
    yield _Filled("kv_cache_dtype", ("serve", "kv_cache_dtype"), held.kv_cache_dtype, asks)
    batch = "experts get batches of fixed size" if held.parallel.batched_dp_moe else f"default of {gpu}"
    tokens = ("serve", "max_num_batched_tokens")
    yield _Filled("max_num_batched_tokens", tokens, held.max_num_batched_tokens, batch)
    yield _Filled("max_num_seqs", ("serve", "max_num_seqs"), held.max_num_seqs, f"default of {gpu}")
    block = "before the attention backend asks for its own"
    yield _Filled("block_size", ("serve", "block_size"), held.block_size, block)
    cached = "on for models that generate"
    yield _Filled("enable_prefix_caching", ("serve", "prefix_caching"), held.prefix_caching, cached)
    ahead = "on wherever runner and executor allow it"
    yield _Filled("async_scheduling", ("args", "async-scheduling"), held.async_scheduling, ahead)
    graphs = "optimization level, model class and backends"
    yield _Filled("compilation_config", ("cudagraph_mode",), held.cudagraph_mode, graphs)
    yield _Filled("attention_backend", ("args", "attention-backend"), held.attention_backend, "model class")
    servers = "one a data parallel rank behind one address"
    yield _Filled("api_server_count", ("args", "api-server-count"), held.api_server_count, servers)
    ranks = "number of ranks and nodes"
    executor = ("args", "distributed-executor-backend")
    yield _Filled("distributed_executor_backend", executor, held.parallel.executor, ranks)
    runner = "V2" if held.v2_runner else "V1"
    yield _Filled("", ("model_runner",), runner, "V2 unless something needs V1")


def _sglang(view: SglangView) -> Iterator[_Filled]:
    held = view.settings
    resolved = "resolved from model, GPU and the other flags"
    yield _Filled("dtype", ("serve", "dtype"), held.dtype, resolved)
    yield _Filled("kv_cache_dtype", ("serve", "kv_cache_dtype"), held.kv_cache_dtype, resolved)
    yield _Filled("mem_fraction_static", ("serve", "mem_fraction_static"), held.mem_fraction_static, resolved)
    chunk = ("serve", "chunked_prefill_size")
    yield _Filled("chunked_prefill_size", chunk, held.chunked_prefill_size, resolved)
    yield _Filled("page_size", ("serve", "block_size"), held.page_size, resolved)
    yield _Filled("max_running_requests", ("serve", "max_num_seqs"), held.max_running_requests, resolved)
    for dest, value in (
        ("attention_backend", held.attention_backend),
        ("prefill_attention_backend", held.prefill_attention_backend),
        ("decode_attention_backend", held.decode_attention_backend),
        ("sampling_backend", held.sampling_backend),
        ("moe_runner_backend", held.moe_runner_backend),
        ("moe_a2a_backend", held.moe_a2a_backend),
        ("cuda_graph_max_bs_decode", held.decode_graph.max_bs),
        ("schedule_conservativeness", held.schedule_conservativeness),
        (
            "mamba_radix_cache_strategy",
            held.mamba_radix_cache_strategy if held.uses_mamba_radix_cache else None,
        ),
    ):
        yield _Filled(dest, ("args", dest.replace("_", "-")), value, resolved)
