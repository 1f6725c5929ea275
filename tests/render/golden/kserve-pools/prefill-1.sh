#!/usr/bin/env bash
# kserve-pools: prefill, node 1 of 2, a headless follower; serves no API
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
set -euo pipefail

# What only the site knows.
: "${NODE_ADDR:?address of this host, as the others reach it}"
: "${NODE_IFNAME:?network interface of this host, such as eth0}"
: "${PREFILL_HEAD_ADDR:?address of prefill node 0, as the other hosts reach it}"

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
source "$here/env/prefill-1.env"
set +a
mkdir -p -- "$TRITON_CACHE_DIR" "$VLLM_CACHE_ROOT" "$FLASHINFER_WORKSPACE_BASE"

args=(
  --tensor-parallel-size 4
  --pipeline-parallel-size 2
  --nnodes 2
  --node-rank 1
  --master-addr "${PREFILL_HEAD_ADDR}"
  --headless
  --kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_producer"}'
)
exec vllm serve acme/experts-235b "${args[@]}" "$@"
