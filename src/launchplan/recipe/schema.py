"""The recipe: what to serve, with which engine, on what, laid out how."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from launchplan.recipe.base import Arguments, Count, Date, Environment, Port, Section, Slug, Text

FORMAT_VERSION = 1
Nodes = Annotated[int, Field(ge=1, le=1024)]
GpusPerNode = Annotated[int, Field(ge=1, le=128)]
EngineName = Literal["vllm", "sglang"]
Feature = Literal["tools", "reasoning"]


class Engine(Section):
    """The inference engine and the version that everything is checked against."""

    name: EngineName
    """`vllm` or `sglang`."""
    version: Text | None = None
    """Release in quotes, such as `"0.33.0"`; left out: the newest release that the catalog knows."""
    image: Text | None = None
    """Container image that holds this build; used by the container targets."""


class Hardware(Section):
    """The machines that one deployment gets."""

    gpu: Text
    """Catalog id or alias of the accelerator: see `launchplan list gpus`."""
    nodes: Nodes = 1
    """Hosts; a GB200/GB300 tray with 4 GPUs is one host."""
    gpus_per_node: GpusPerNode | None = None
    """GPUs used on each host; left out: what such a host usually has."""
    fabric: Text | None = None
    """What connects the hosts: see `launchplan list fabrics`; left out: unknown."""


class PoolHardware(Section):
    """A pool's own share; what is left out is as in the recipe's `hardware`."""

    gpu: Text | None = None
    """Catalog id or alias of the accelerator."""
    nodes: Nodes | None = None
    """Hosts of one instance of the pool."""
    gpus_per_node: GpusPerNode | None = None
    """GPUs used on each host."""
    fabric: Text | None = None
    """What connects the hosts of the pool."""


class Parallel(Section):
    """How the model is laid out. GPUs of one instance = tp x pp x dp, for both engines."""

    tp: Count = 1
    """Tensor parallel size of one attention replica."""
    pp: Count = 1
    """Pipeline stages."""
    dp: Count = 1
    """Data parallel ranks. On a mixture-of-experts model the experts are shared across them
    (vLLM `--data-parallel-size`, SGLang `--attn-dp-size`); on a dense model they are replicas."""
    ep: Count = 1
    """Expert parallel size; 1 shards each expert instead. vLLM knows 1 or tp x dp."""
    dcp: Count = 1
    """Decode context parallel size: ranks of a tensor parallel group that share the KV cache by position."""
    load_balancing: Literal["internal", "hybrid", "external"] | None = None
    """vLLM: who spreads requests over the data parallel ranks. `internal`, the default: the head over all;
    `hybrid`: each node over its own; `external`: a router in front, every rank has an API of its own."""
    attention_dp: bool | None = None
    """SGLang: `false` makes the data parallel ranks of a mixture-of-experts model whole replicas."""


class Serve(Section):
    """How the engine serves; each key becomes the flag of the engine that the recipe names."""

    max_model_len: Count | None = None
    """Tokens of the longest request, prompt and output; left out: the model's own window."""
    kv_cache_dtype: Text | None = None
    """Format of the KV cache: `auto`, `fp8`, `bfloat16` or one that only this engine knows."""
    dtype: Text | None = None
    """Activation type: `auto`, `bfloat16`, `float16`."""
    quantization: Text | None = None
    """Quantization method, where the checkpoint does not say it."""
    gpu_memory_utilization: Annotated[float, Field(gt=0, le=1)] | None = None
    """vLLM: share of a GPU's memory that the engine may use."""
    mem_fraction_static: Annotated[float, Field(gt=0, le=1)] | None = None
    """SGLang: share of a GPU's memory for weights and KV pool."""
    max_num_seqs: Count | None = None
    """Most requests in one batch (vLLM `--max-num-seqs`, SGLang `--max-running-requests`)."""
    max_num_batched_tokens: Count | None = None
    """vLLM: most tokens in one step."""
    chunked_prefill_size: Annotated[int, Field(ge=-1)] | None = None
    """SGLang: most tokens of one prefill chunk; -1 turns chunking off."""
    block_size: Count | None = None
    """Tokens of a KV block (vLLM `--block-size`, SGLang `--page-size`)."""
    prefix_caching: bool | None = None
    """Keep and reuse the KV cache of common prefixes; left out: the engine decides."""
    trust_remote_code: bool | None = None
    """Run the code that the checkpoint ships."""
    load_format: Text | None = None
    """How weights are read: `auto`, `safetensors`, `fastsafetensors`, `dummy` ..."""
    hf_overrides: dict[str, JsonValue] | None = None
    """Values that replace those of the checkpoint's `config.json`."""
    features: list[Feature] = []
    """`tools` and `reasoning` switch the model's parsers on."""
    tool_parser: Text | None = None
    """Tool-call parser, where the catalog's is not wanted."""
    reasoning_parser: Text | None = None
    """Reasoning parser, where the catalog's is not wanted."""
    served_model_name: Text | None = None
    """Name that clients ask for; left out: the checkpoint."""
    host: Text | None = None
    """Address that the API listens on; left out: the engine's default."""
    port: Port | None = None
    """Port of the API; left out: the engine's default (vLLM 8000, SGLang 30000)."""


class Speculative(Section):
    """Speculative decoding."""

    method: Text
    """`mtp`, `eagle`, `eagle3`, `dspark`, `ngram`, `draft_model` ..."""
    tokens: Count | None = None
    """Tokens drafted in one step."""
    model: Text | None = None
    """Draft checkpoint, for the methods that have one."""
    options: dict[str, JsonValue] = {}
    """Further settings under the engine's own names: keys of vLLM's `--speculative-config`,
    for SGLang the flags that begin with `--speculative-`, without that beginning."""


class Workload(Section):
    """What clients will ask for; sizes capacity, changes no flag."""

    concurrency: Count | None = None
    """Requests in flight at the same time."""
    context_tokens: Count | None = None
    """Mean tokens that one request holds: prompt and output so far."""
    tail_context_tokens: Count | None = None
    """Tokens that the longest requests hold."""
    prompt_tokens: Count | None = None
    """Mean prompt length."""
    output_tokens: Count | None = None
    """Mean output length."""
    goal: Literal["latency", "throughput"] | None = None
    """What matters more."""


class Evidence(Section):
    """Why anyone should believe that this layout works."""

    status: Literal["verified", "documented", "derived"]
    """`verified`: run by whoever wrote the recipe; `documented`: published by others;
    `derived`: computed only."""
    source: Text | None = None
    """Where it was published or measured."""
    checked: Date | None = None
    """Day on which somebody looked at the source."""
    figures: dict[str, JsonValue] = {}
    """Measured or published figures, with the unit in the name."""
    note: Text | None = None
    """What the source leaves open."""


class Router(Section):
    """The process that hands requests to the pools."""

    kind: Literal["vllm-router", "sglang-router"] | None = None
    """Router program; left out: the one of the engine."""
    image: Text | None = None
    """Container image that holds it; used by the container targets."""
    host: Text = "0.0.0.0"  # noqa: S104 # clients are elsewhere; that is what a router is for
    """Address that the router listens on."""
    port: Port = 8080
    """Port of the router."""
    policy: Text | None = None
    """Load-balancing policy; left out: the router's default."""
    args: Arguments = {}
    """Further flags of the router."""
    env: Environment = {}
    """Environment of the router."""


class Transfer(Section):
    """How the KV cache travels from prefill to decode."""

    backend: Literal["nixl", "mooncake"] = "nixl"
    """`nixl` or `mooncake`."""
    options: dict[str, JsonValue] = {}
    """vLLM: further keys of `--kv-transfer-config`; SGLang: flags that begin with `--disaggregation-`,
    without that beginning."""


class Offload(Section):
    """Where KV cache goes that the GPUs have no room for, instead of being dropped."""

    backend: Literal["native", "lmcache", "mooncake"] = "native"
    """`native`: host memory, by the engine itself (vLLM's offloading connector, SGLang's HiCache); `lmcache`;
    `mooncake`: a store that instances share."""
    host_gib: Annotated[float, Field(gt=0)] | None = None
    """Host memory in GiB that each node gives, shared by its ranks."""
    options: dict[str, JsonValue] = {}
    """vLLM: keys of the connector's `kv_connector_extra_config`; SGLang: flags that begin with `--hicache-`,
    without that beginning."""


class Pool(Section):
    """One side of a prefill/decode deployment."""

    replicas: Count = 1
    """Instances of the pool, each with its own hardware share."""
    hardware: PoolHardware = PoolHardware()
    """The share of one instance."""
    parallel: Parallel = Parallel()
    """Layout of one instance."""
    serve: Serve = Serve()
    """How the pool serves."""
    speculative: Speculative | None = None
    """Speculative decoding of the pool."""
    offload: Offload | None = None
    """KV offload of the pool; left out: the recipe's."""
    args: Arguments = {}
    """Further engine flags of the pool."""
    env: Environment = {}
    """Environment of the pool."""


class Pools(Section):
    """Prefill and decode apart; replaces the recipe's `parallel`, `serve` and `speculative`."""

    prefill: Pool
    """Computes prompts."""
    decode: Pool
    """Generates tokens."""


class Recipe(Section):
    """A launchplan recipe."""

    launchplan: Literal[1]
    """Version of the recipe format: 1."""
    name: Slug
    """Name of the deployment; the bundle is called so."""
    summary: Text | None = None
    """For whom it is and what it is good at, in one to three lines."""
    model: Text
    """Catalog id, path to a folder or `config.json`, or a hub id."""
    checkpoint: Annotated[str, Field(pattern=r"^[^~\-\s]")] | None = None
    """What the engine loads: a hub id or a path; left out: the model's own checkpoint."""
    engine: Engine
    """Engine and version."""
    hardware: Hardware
    """Machines."""
    parallel: Parallel = Parallel()
    """Layout."""
    serve: Serve = Serve()
    """Serving."""
    speculative: Speculative | None = None
    """Speculative decoding."""
    pools: Pools | None = None
    """Prefill and decode on their own machines."""
    router: Router | None = None
    """Router in front of the pools."""
    transfer: Transfer | None = None
    """KV transfer between the pools."""
    offload: Offload | None = None
    """KV offload, of every pool that has none of its own."""
    workload: Workload = Workload()
    """What clients ask for."""
    args: Arguments = {}
    """Any other engine flag, without dashes in front: `stream-interval: 4`; `true` is a bare switch,
    `false` its `--no-` form, a mapping JSON. Flags of one engine only stand under `vllm:` or `sglang:`."""
    env: Environment = {}
    """Environment of the engine; values are strings. Secrets are named by the site, never written here."""
    evidence: Evidence | None = None
    """Why this layout is believed to work."""
