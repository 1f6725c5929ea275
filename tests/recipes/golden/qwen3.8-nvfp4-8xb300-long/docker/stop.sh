#!/usr/bin/env bash
# qwen3.8-nvfp4-8xb300-long: stops and removes its containers on this host; each has two minutes to finish requests
# Usage: ./stop.sh [CONTAINER...]
set -euo pipefail

containers=(
  qwen3.8-nvfp4-8xb300-long-node-0
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
