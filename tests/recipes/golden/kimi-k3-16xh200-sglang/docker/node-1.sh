#!/usr/bin/env bash
# kimi-k3-16xh200-sglang: node 1 of 2, a follower; serves no API
# Made by launchplan for sglang 0.5.23. What is given to this script is added to the command.
#   docker logs --follow kimi-k3-16xh200-sglang-node-1   what it says
#   docker inspect --format '{{.State.Health.Status}}' kimi-k3-16xh200-sglang-node-1   whether it generates
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
  --name kimi-k3-16xh200-sglang-node-1
  --label 'launchplan.deployment=kimi-k3-16xh200-sglang'
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
  --env "NCCL_SOCKET_IFNAME=${NODE_IFNAME}"
  --env "GLOO_SOCKET_IFNAME=${NODE_IFNAME}"
  --env "TRITON_CACHE_DIR=${LOCAL_CACHE}/triton"
  --env "SGLANG_CACHE_DIR=${LOCAL_CACHE}/sglang"
  --env "FLASHINFER_WORKSPACE_BASE=${LOCAL_CACHE}/flashinfer"
)
args=(
  serve --model-path moonshotai/Kimi-K3
  --tp-size 16
  --ep-size 16
  --nnodes 2
  --node-rank 1
  --dist-init-addr "${HEAD_ADDR}:20000"
  --mem-fraction-static 0.85
)
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint sglang lmsysorg/sglang:v0.5.23 "${args[@]}" "$@"
