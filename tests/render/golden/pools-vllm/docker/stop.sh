#!/usr/bin/env bash
# pools-vllm: stops and removes its containers on this host; each has two minutes to finish requests
# Usage: ./stop.sh [CONTAINER...]
set -euo pipefail

containers=(
  pools-vllm-router
  pools-vllm-prefill-0
  pools-vllm-prefill-1
  pools-vllm-decode-0
  pools-vllm-decode-1
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
