#!/usr/bin/env bash
# external-ranks: stops and removes its containers on this host; each has two minutes to finish requests
# Usage: ./stop.sh [CONTAINER...]
set -euo pipefail

containers=(
  external-ranks-node-0
  external-ranks-node-1
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
