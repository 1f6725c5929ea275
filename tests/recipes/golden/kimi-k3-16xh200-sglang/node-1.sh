#!/usr/bin/env bash
# kimi-k3-16xh200-sglang: node 1 of 2, a follower; serves no API
# Made by launchplan for sglang 0.5.23. What is given to this script is added to the command.
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
source "$here/env/node-1.env"
set +a
mkdir -p -- "$TRITON_CACHE_DIR" "$SGLANG_CACHE_DIR" "$FLASHINFER_WORKSPACE_BASE"

args=(
  --tp-size 16
  --ep-size 16
  --nnodes 2
  --node-rank 1
  --dist-init-addr "${HEAD_ADDR}:20000"
  --mem-fraction-static 0.85
)
exec sglang serve --model-path moonshotai/Kimi-K3 "${args[@]}" "$@"
