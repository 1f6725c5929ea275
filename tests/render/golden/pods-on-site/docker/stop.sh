#!/usr/bin/env bash
# Pods.on_Site: stops and removes its containers on this host; each has two minutes to finish requests
# Usage: ./stop.sh [CONTAINER...]
set -euo pipefail

containers=(
  Pods.on_Site-node-0
  Pods.on_Site-node-1
  Pods.on_Site-node-2
  Pods.on_Site-node-3
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
