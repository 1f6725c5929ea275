#!/usr/bin/env bash
# kimi-k3-pd-vllm: stops and removes its containers on this host; each has two minutes to finish requests
# Usage: ./stop.sh [CONTAINER...]
set -euo pipefail

containers=(
  kimi-k3-pd-vllm-router
  kimi-k3-pd-vllm-prefill-0
  kimi-k3-pd-vllm-prefill-1
  kimi-k3-pd-vllm-decode-0
  kimi-k3-pd-vllm-decode-1
  kimi-k3-pd-vllm-decode-2
  kimi-k3-pd-vllm-decode-3
)
if (($# > 0)); then
  containers=("$@")
fi
for container in "${containers[@]}"; do
  if docker container inspect "$container" >/dev/null 2>&1; then
    docker stop "$container"
    docker rm "$container"
  fi
done
