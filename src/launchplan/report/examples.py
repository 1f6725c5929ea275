"""One example for each section of recipe and cluster files; the reference pages show them.

Each is a fragment of a file: together with what else the file needs, it is read without a complaint.
"""

from __future__ import annotations

from collections.abc import Mapping

RECIPE: Mapping[str, str] = {
    "Recipe": """\
launchplan: 1
name: qwen3.8-fp8-2x8-b300
model: Qwen/Qwen3.8-2.4T-A95B
checkpoint: Qwen/Qwen3.8-2.4T-A95B-FP8
engine: {name: vllm, version: "0.33.0"}
hardware: {gpu: b300, nodes: 2, fabric: infiniband}
parallel: {tp: 16}
args:
  max-num-scheduled-tokens: 4096
  compilation-config: {mode: 3}
  vllm: {async-scheduling: true}
env: {VLLM_ENGINE_READY_TIMEOUT_S: "3600"}
""",
    "Engine": 'engine: {name: sglang, version: "0.5.23"}\n',
    "Hardware": "hardware: {gpu: h200, nodes: 2, gpus_per_node: 8, fabric: infiniband}\n",
    "Parallel": "parallel: {tp: 8, pp: 2}\n",
    "Serve": """\
serve:
  max_model_len: 32768
  kv_cache_dtype: fp8
  features: [tools, reasoning]
  served_model_name: assistant
  port: 8000
""",
    "Speculative": "speculative: {method: mtp, tokens: 3}\n",
    "Pools": """\
pools:
  prefill:
    parallel: {tp: 8}
  decode:
    hardware: {nodes: 2}
    parallel: {tp: 8, pp: 2}
""",
    "Pool": """\
pools:
  prefill:
    replicas: 2
    parallel: {tp: 8}
    serve: {max_num_batched_tokens: 16384}
  decode:
    parallel: {tp: 8}
""",
    "PoolHardware": """\
pools:
  prefill:
    hardware: {gpu: h100, nodes: 1, gpus_per_node: 8}
  decode: {}
""",
    "Router": "router: {port: 8080, policy: round_robin}\n",
    "Transfer": "transfer: {backend: nixl}\n",
    "Offload": "offload: {backend: native, host_gib: 800}\n",
    "Workload": """\
workload:
  concurrency: 50
  context_tokens: 100000
  prompt_tokens: 8000
  output_tokens: 1000
  goal: latency
""",
    "Evidence": """\
evidence:
  status: verified
  source: our run of 2026-08-15, notes/qwen3.8.md
  checked: 2026-08-15
  figures: {output_tokens_per_s_per_user: 307}
""",
}
CLUSTER: Mapping[str, str] = {
    "Cluster": """\
launchplan: 1
name: pod-a
preset: b300-hgx8
nodes: 2
network: {interface: bond0}
env: {HF_HUB_OFFLINE: "1"}
""",
    "Node": """\
nodes:
  - {name: gpu-01, address: 10.0.0.1}
  - {name: gpu-02, address: 10.0.0.2, interface: eth1}
""",
    "Network": "network: {fabric: infiniband, interface: bond0, hcas: [mlx5_0, mlx5_1]}\n",
    "Ports": "ports: {rendezvous: 29600}\n",
    "Paths": "paths: {model: /models/qwen3.8-fp8, local_cache: /scratch/launchplan}\n",
    "Storage": "storage: {read_gigabytes_per_s: 12.5, shared: true}\n",
    "Container": 'container: {mounts: ["/models:/models"]}\n',
    "Slurm": 'slurm: {partition: gpu, account: research, time: "4:00:00"}\n',
    "Systemd": "systemd: {folder: /opt/launchplan/assistant, user: inference}\n",
    "Kubernetes": "kubernetes: {namespace: inference, gpu_resource: nvidia.com/gpu, token_secret: hub}\n",
}
