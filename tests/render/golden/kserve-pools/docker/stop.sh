#!/usr/bin/env bash
# kserve-pools: stops and removes its containers on this host; each has two minutes to finish requests
# Usage: ./stop.sh [CONTAINER...]
set -euo pipefail

containers=(
  kserve-pools-router
  kserve-pools-prefill-0
  kserve-pools-prefill-1
  kserve-pools-decode-0
  kserve-pools-decode-1
  kserve-pools-decode-2
  kserve-pools-decode-3
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
