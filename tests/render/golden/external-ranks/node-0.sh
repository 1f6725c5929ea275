#!/usr/bin/env bash
# external-ranks: node 0 of 2, the head; serves the API on ports 8000 to 8003
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
set -euo pipefail

# What only the site knows.
: "${HEAD_ADDR:?address of node 0, as the other hosts reach it}"
: "${NODE_IFNAME:?network interface of this host, such as eth0}"

# Compiled kernels belong on a disk of this host. Export LOCAL_CACHE to choose another folder than this one.
if [[ -z ${LOCAL_CACHE:-} ]]; then
  LOCAL_CACHE=/tmp/launchplan-$UID
  (umask 077 && mkdir -p -- "$LOCAL_CACHE")
  if [[ ! -O $LOCAL_CACHE ]]; then
    echo "$LOCAL_CACHE belongs to somebody else; export LOCAL_CACHE" >&2
    exit 1
  fi
fi

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
set -a
# shellcheck source=/dev/null
source "$here/env/common.env"
# shellcheck source=/dev/null
source "$here/env/node-0.env"
set +a
mkdir -p -- "$TRITON_CACHE_DIR" "$VLLM_CACHE_ROOT" "$FLASHINFER_WORKSPACE_BASE"

args=(
  --tensor-parallel-size 2
  --data-parallel-size 8
  --enable-expert-parallel
  --data-parallel-size-local 4
  --data-parallel-multi-port-external-lb
  --data-parallel-address "${HEAD_ADDR}"
)
exec vllm serve acme/experts-235b "${args[@]}" "$@"
