#!/usr/bin/env bash
# qwen3.8-fp8-16xgb300: node 2 of 4, a headless follower; serves no API
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
source "$here/env/node-2.env"
set +a
mkdir -p -- "$TRITON_CACHE_DIR" "$VLLM_CACHE_ROOT" "$FLASHINFER_WORKSPACE_BASE"

args=(
  --tensor-parallel-size 16
  --nnodes 4
  --node-rank 2
  --master-addr "${HEAD_ADDR}"
  --headless
  --max-model-len 262144
  --kv-cache-dtype fp8
  --enable-auto-tool-choice
  --tool-call-parser qwen3_coder
  --reasoning-parser qwen3
  --speculative-config '{"method":"mtp","num_speculative_tokens":3}'
)
exec vllm serve Qwen/Qwen3.8-2.4T-A95B-FP8 "${args[@]}" "$@"
