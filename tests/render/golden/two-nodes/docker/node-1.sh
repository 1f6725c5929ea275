#!/usr/bin/env bash
# two-nodes: node 1 of 2, a headless follower; serves no API
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
#   docker logs --follow two-nodes-node-1   what it says
#   docker inspect --format '{{.State.Health.Status}}' two-nodes-node-1   whether it generates
#   ./stop.sh   ends and removes it
set -euo pipefail

# What only the site knows.
: "${HEAD_ADDR:?address of node 0, as the other hosts reach it}"
: "${NODE_IFNAME:?network interface of this host, such as eth0}"

# Compiled kernels belong on a disk of this host. Export LOCAL_CACHE to choose another folder than this one.
: "${LOCAL_CACHE:=/tmp/launchplan-$UID}"
# The hub cache of the user who starts this.
HUB_CACHE=${HF_HOME:-$HOME/.cache/huggingface}
mkdir -p -- "${HUB_CACHE}" "${LOCAL_CACHE}"

options=(
  --detach --init
  --name two-nodes-node-1
  --label 'launchplan.deployment=two-nodes'
  --restart no
  --stop-timeout 120
  --network host
  --ipc host
  --ulimit 'memlock=-1'
  --ulimit 'stack=67108864'
  --ulimit 'nofile=1048576'
  --cap-add IPC_LOCK
  --gpus all
  --mount "type=bind,source=${HUB_CACHE},target=/root/.cache/huggingface"
  --mount "type=bind,source=${LOCAL_CACHE},target=${LOCAL_CACHE}"
)
for device in /dev/infiniband /dev/gdrdrv; do # RDMA; a host has what its driver brings
  if [[ -e $device ]]; then
    options+=(--device "$device")
  fi
done
environment=(
  --env HF_TOKEN
  --env 'VLLM_ENGINE_READY_TIMEOUT_S=3600'
  --env "NCCL_SOCKET_IFNAME=${NODE_IFNAME}"
  --env "GLOO_SOCKET_IFNAME=${NODE_IFNAME}"
  --env "TRITON_CACHE_DIR=${LOCAL_CACHE}/triton"
  --env "VLLM_CACHE_ROOT=${LOCAL_CACHE}/vllm"
  --env "FLASHINFER_WORKSPACE_BASE=${LOCAL_CACHE}/flashinfer"
)
args=(
  serve Qwen/Qwen3.8-2.4T-A95B-FP8
  --tensor-parallel-size 16
  --nnodes 2
  --node-rank 1
  --master-addr "${HEAD_ADDR}"
  --headless
  --max-model-len 262144
  --kv-cache-dtype fp8
  --enable-auto-tool-choice
  --tool-call-parser qwen3_coder
  --reasoning-parser qwen3
  --speculative-config '{"method":"mtp","num_speculative_tokens":3}'
)
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint vllm vllm/vllm-openai:v0.33.0 "${args[@]}" "$@"
