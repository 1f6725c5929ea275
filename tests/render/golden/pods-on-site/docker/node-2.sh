#!/usr/bin/env bash
# Pods.on_Site: node 2 of 4, a headless follower; serves no API
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
#   docker logs --follow Pods.on_Site-node-2   what it says
#   docker inspect --format '{{.State.Health.Status}}' Pods.on_Site-node-2   whether it generates
#   ./stop.sh   ends and removes it
set -euo pipefail

# What only the site knows.
: "${HEAD_ADDR:?address of node 0, as the other hosts reach it}"

mkdir -p -- /data/hub /nvme/kernels

# shellcheck disable=SC2016 # values are literal, also where they look like an expansion
options=(
  --detach --init
  --name Pods.on_Site-node-2
  --label 'launchplan.deployment=Pods.on_Site'
  --restart no
  --stop-timeout 120
  --network host
  --ipc host
  --ulimit 'memlock=-1'
  --ulimit 'stack=67108864'
  --ulimit 'nofile=1048576'
  --cap-add IPC_LOCK
  --gpus all
  --mount 'type=bind,source=/models/experts,target=/models/experts,readonly'
  --mount 'type=bind,source=/models/draft,target=/models/draft,readonly'
  --mount 'type=bind,source=/data/hub,target=/data/hub'
  --mount 'type=bind,source=/nvme/kernels,target=/nvme/kernels'
  --mount 'type=bind,source=/etc/nccl/topo.xml,target=/topo.xml,readonly'
)
for device in /dev/infiniband /dev/gdrdrv; do # RDMA; a host has what its driver brings
  if [[ -e $device ]]; then
    options+=(--device "$device")
  fi
done
# shellcheck disable=SC2016 # values are literal, also where they look like an expansion
environment=(
  --env HF_TOKEN
  --env 'NCCL_IB_HCA=mlx5_0,mlx5_1,mlx5_2,mlx5_3'
  --env 'HF_HOME=/data/hub'
  --env 'NCCL_DEBUG=WARN'
  --env 'GREETING=costs $(5) or $$5$'
  --env 'NCCL_SOCKET_IFNAME=bond0'
  --env 'GLOO_SOCKET_IFNAME=bond0'
  --env 'TRITON_CACHE_DIR=/nvme/kernels/triton'
  --env 'VLLM_CACHE_ROOT=/nvme/kernels/vllm'
  --env 'FLASHINFER_WORKSPACE_BASE=/nvme/kernels/flashinfer'
)
# shellcheck disable=SC2016 # values are literal, also where they look like an expansion
args=(
  serve /models/experts
  --data-parallel-size 32
  --enable-expert-parallel
  --data-parallel-size-local 8
  --data-parallel-address "${HEAD_ADDR}"
  --data-parallel-start-rank 16
  --headless
  --served-model-name 'acme $(experts) $$ for ${you}'
  --speculative-config '{"model":"/models/draft","method":"eagle3","num_speculative_tokens":3}'
)
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint vllm registry.example:5000/vllm@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef "${args[@]}" "$@"
