"""What goes wrong at a start, how it looks and what cures it, each with where it is known from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Shape = Literal[
    "any", "hosts", "spanning", "data-parallel", "ray", "pools", "vllm-router", "sglang-router", "rdma",
    "state", "nvidia", "amd", "newest-nvidia",
]  # fmt: skip
"""How processes work together: several hosts, one engine over them, ranks of their own on each, ranks that
Ray places, pools, a router, hosts joined by InfiniBand or RoCE. What they run: a model with recurrent state,
on GPUs of NVIDIA, of AMD, of NVIDIA with compute capability 10.3 or newer."""
SEEN = {"vllm": "seen with vllm 0.32.0 on two hosts", "sglang": "seen with sglang 0.5.23 on two hosts"}
_RAY = "seen with ray 2.60 on two hosts"
_FAQ = "Kimi K3 serving FAQ (2026)"


@dataclass(frozen=True, slots=True)
class Failure:
    """One row of the runbook's table."""

    seen: str
    cause: str
    cure: str
    known_from: str = ""
    """A place in the engine's source, a document; empty for what was seen on two hosts."""


TABLE: tuple[tuple[str, Shape, Failure], ...] = (
    ("vllm", "spanning", Failure(
        "the head stays silent after `distributed_init_method`, its /health never answers",
        "a follower is missing, or was given another head address, port or node count",
        "give all hosts this bundle and one head address, $head; stop every process, then start all again",
    )),
    ("vllm", "spanning", Failure(
        "a follower repeats `TCP client failed to connect`, for half an hour",
        "the head address $head is not one of node 0, or a firewall closes the ports between the hosts",
        "correct $head; open all ports between the hosts, for many of them are random",
    )),
    ("vllm", "spanning", Failure(
        "the head dies with `Gloo connectFullMesh failed`, remote=[127.0.0.1]",
        "the process runs without GLOO_SOCKET_IFNAME and the host's own name leads to 127.0.0.1",
        "start it by its own command, which sets it by $interface; stop followers that are left by hand",
    )),
    ("vllm", "spanning", Failure(
        "a follower dies with `collective_rpc should not be called on follower node`, the head hangs",
        "the follower was started without `--headless`",
        "start it by its own command; the head does not end on SIGTERM then, kill it",
    )),
    ("vllm", "spanning", Failure(
        "a process waits at `Launching 1 data parallel engine(s) in headless mode`",
        "`--headless` on node 0, or a follower with `--nnodes 1`",
        "start each host by its own command",
    )),
    ("vllm", "data-parallel", Failure(
        "the head dies with `Remote engine … must use --headless`",
        "a follower was started without `--headless`",
        "start it by its own command",
    )),
    ("vllm", "data-parallel", Failure(
        "the head dies with `HELLO message from remote engine 0, expected it to be local`",
        "a follower has no `--data-parallel-start-rank`",
        "start it by its own command",
    )),
    ("vllm", "data-parallel", Failure(
        "it serves, with fewer ranks than planned",
        "`--data-parallel-size` differs between the hosts, which vLLM does not notice",
        "render one bundle and copy it to all hosts",
    )),
    ("", "ray", Failure(
        "`ray: command not found`, or `Failed to import Ray`",
        "the environment or the image has no Ray: the engine does not bring it",
        "install `ray[default]` beside the engine, on every host or in an image of your own",
        "vllm 0.33.0: `ray` is an extra of the package",
    )),
    ("", "ray", Failure(
        "the head stays at `Ray has … of … GPUs; waiting for the other hosts`",
        "a worker is missing or joins another address than $head, or a firewall is between the hosts",
        "start each host by its own command; `ray status` on the head lists who joined",
        _RAY,
    )),
    ("", "ray", Failure(
        "`ray start` ends with `but is already running at`",
        "Ray's head of an earlier start is still there",
        "end it (`ray stop` ends all of this user's on the host), then start again",
        "ray/scripts/scripts.py:1052 (2.60)",
    )),
    ("vllm", "ray", Failure(
        "`Waiting for creating a placement group of specs`, for up to half an hour",
        "GPUs of this Ray cluster are taken, or a host joined with another address than VLLM_HOST_IP",
        "`ray status` shows what is taken; start each host by its own command, which sets both",
        "vllm/v1/executor/ray_utils.py:224 (0.33.0)",
    )),
    ("", "ray", Failure(
        "a worker ends with an error when the head is stopped",
        "Ray's workers give up about a minute after their head is gone",
        "nothing: start all hosts again when the head starts",
        _RAY,
    )),
    ("vllm", "pools", Failure(
        "every /health is 200, a request gives HTTP 500, decode logs `Remote NIXL agent engine ID mismatch`",
        "VLLM_NIXL_SIDE_CHANNEL_HOST is unset or localhost, so decode asks itself for the KV cache",
        "start each by its own command; $side_channel is the host's address as the others reach it",
    )),
    ("vllm", "vllm-router", Failure(
        "the router's /health is 200, each request gives `503 No available workers`",
        "the router runs without `--vllm-pd-disaggregation`, or knows no backend",
        "start it by router.sh",
    )),
    ("vllm", "vllm-router", Failure(
        "the router ends with `Timeout … waiting for hosts`",
        "a backend did not become healthy in time, 10 minutes by default",
        "start the router when wait-ready.sh succeeds on each backend",
    )),
    ("sglang", "sglang-router", Failure(
        "each request gives `503 No prefill workers available`",
        "no prefill server is healthy; the router starts all the same",
        "read the prefill servers' logs",
    )),
    ("sglang", "spanning", Failure(
        "a node hangs in `MessageQueue.wait_until_ready`",
        "two nodes share one /dev/shm, as containers with the host's IPC on one machine do",
        "give each node its own host, or its own /dev/shm",
    )),
    ("sglang", "spanning", Failure(
        "a follower's /health is 200 and nothing answers on the head",
        "followers answer for themselves, before the deployment works",
        "ask the head, by wait-ready.sh",
    )),
    ("sglang", "spanning", Failure(
        "the head takes half a minute to end after SIGTERM",
        "it winds down; the followers end right after it",
        "wait; a process that hung at its start has to be killed",
    )),
    ("vllm", "any", Failure(
        "`Timed out waiting for engine core processes to start`",
        "the weights took longer to read than the $timeout s of VLLM_ENGINE_READY_TIMEOUT_S",
        "set `env: {VLLM_ENGINE_READY_TIMEOUT_S: ...}` to more than reading them takes on this storage",
        "vllm/v1/engine/core_client.py:764 (0.33.0)",
    )),
    ("vllm", "any", Failure(
        "`Free memory on device … is less than desired GPU memory utilization`",
        "another process holds memory of the GPU, often one that a failed start has left",
        "`nvidia-smi` or `amd-smi` names it; end it, then start again",
        "vllm/v1/worker/utils.py:762 (0.33.0)",
    )),
    ("vllm", "any", Failure(
        "`No available memory for the cache blocks`",
        "weights, activations and CUDA graphs leave nothing of the budget",
        "more GPUs (`parallel.tp`), or a higher `serve.gpu_memory_utilization`",
        "vllm/v1/core/kv_cache_planning.py:58 (0.33.0)",
    )),
    ("vllm", "any", Failure(
        "`To serve at least one request with the model's max seq len`",
        "one request of the whole window needs more than the pool",
        "set `serve.max_model_len` to no more than the `estimated maximum model length` of that message",
        "vllm/v1/core/kv_cache_planning.py:78 (0.33.0)",
    )),
    ("vllm", "any", Failure(
        "`CUDA out of memory occurred when warming up sampler`, or out of memory while graphs are captured",
        "the batch of warm-up and capture does not fit beside the pool",
        "a lower `serve.max_num_seqs`, or a lower `serve.gpu_memory_utilization`",
        "vllm/v1/worker/gpu_model_runner.py:5930 (0.33.0)",
    )),
    ("vllm", "state", Failure(
        "`assert num_cache_lines >= batch`",
        "CUDA graphs are captured for more requests than there are slots for recurrent state",
        "`args: {max-cudagraph-capture-size: ...}` with fewer requests, or a lower `serve.max_num_seqs`",
        "vllm/model_executor/layers/mamba/ops/causal_conv1d.py:1052 (0.33.0)",
    )),
    ("vllm", "amd", Failure(
        "`libcudart.so: cannot open shared object file`",
        "the wheel for CUDA was installed: those for ROCm are for Python 3.12 alone",
        "install the engine anew, in an environment of Python 3.12, as above",
        'vLLM documentation "GPU" (2026)',
    )),
    ("vllm", "amd", Failure(
        "the engine crashes in RCCL, and `rocm-smi --showfw` shows a MEC firmware below 177",
        "the firmware cannot take RCCL's scratch memory back",
        '`env: {HSA_NO_SCRATCH_RECLAIM: "1"}`, or newer firmware',
        "vllm-project/recipes models/moonshotai/Kimi-K2.5.yaml",
    )),
    ("", "newest-nvidia", Failure(
        "`ptxas fatal : Value 'sm_$arch' is not defined for option 'gpu-name'`",
        "the ptxas that comes with Triton is older than the GPU",
        "`env: {TRITON_PTXAS_PATH: /usr/local/cuda/bin/ptxas}` with the toolkit of the host or image",
        'SGLang documentation "Installation" (2026)',
    )),
    ("", "any", Failure(
        "`GatedRepoError` or `401 Client Error` when the checkpoint is asked for",
        "it stands behind a licence, and HF_TOKEN is not set where the process runs, or may not read it",
        "accept the licence on the page of the checkpoint; export HF_TOKEN in the shell of the start",
        "huggingface_hub/errors.py",
    )),
    ("vllm", "any", Failure(
        "HTTP 400, `default chat template is no longer allowed`, for each chat request",
        "the checkpoint's tokenizer has no chat template, as is usual for base models",
        "load the checkpoint tuned for chat, or `args: {chat-template: ...}` with a file; "
        "`/v1/completions` needs none",
        "vllm/renderers/hf.py:885 (0.33.0)",
    )),
    ("sglang", "any", Failure(
        "`Not enough memory. Please try to increase --mem-fraction-static.`",
        "weights and what the engine keeps free leave nothing for the pool",
        "more GPUs (`parallel.tp`), or a higher `serve.mem_fraction_static`",
        "sglang/srt/model_executor/pool_configurator.py:96 (0.5.23)",
    )),
    ("sglang", "any", Failure(
        "`Capture cuda graph failed`",
        "what `mem_fraction_static` leaves free is too little for the graphs",
        "a lower `serve.mem_fraction_static`, or fewer sizes: `args: {cuda-graph-max-bs-decode: ...}`",
        "sglang/srt/model_executor/runner/decode_cuda_graph_runner.py:603 (0.5.23)",
    )),
    ("sglang", "nvidia", Failure(
        "`CUDA_HOME environment variable is not set`",
        "a kernel is compiled on this host, and the CUDA toolkit is not found",
        "`export CUDA_HOME=...` with the folder of the toolkit, often /usr/local/cuda",
        'SGLang documentation "Installation" (2026)',
    )),
    ("sglang", "any", Failure(
        "a rank gives up in a collective while others still read the weights",
        "reading takes longer than the ranks wait for one another",
        "`args: {dist-timeout: 3600}`",
        "SGLang cookbook DeepSeek/DeepSeek-V3_2.mdx",
    )),
    ("", "hosts", Failure(
        "the ranks wait for one another, or fail in the first collective",
        "NCCL or Gloo chose an interface that the other hosts do not reach",
        "start each by its own command, which pins GLOO_SOCKET_IFNAME and NCCL_SOCKET_IFNAME by $interface",
        _FAQ,
    )),
    ("", "hosts", Failure(
        "kernels fail to compile or load, or a start waits for a lock of a cache",
        "hosts share one folder of compiled kernels on a network file system",
        "LOCAL_CACHE on a disk of each host; remove the shared folder",
        _FAQ,
    )),
    ("", "rdma", Failure(
        "`mlx5dv_reg_dmabuf_mr` fails with errno 524",
        "kernel or driver do not hand GPU memory to the NIC as DMA-BUF",
        'load the module nvidia_peermem and set `env: {NCCL_DMABUF_ENABLE: "0"}`',
        "launchplan's catalog, fabric ib",
    )),
)  # fmt: skip
