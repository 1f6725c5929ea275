#!/usr/bin/env bash
# qwen3.8-fp8-2x8-b300: stops and removes its containers on this host; each has two minutes to finish requests
# Usage: ./stop.sh [CONTAINER...]
set -euo pipefail

containers=(
  qwen3.8-fp8-2x8-b300-node-0
  qwen3.8-fp8-2x8-b300-node-1
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
