#!/usr/bin/env bash
# kimi-k3-8xgb300-dspark: node 1 of 2, a headless follower; serves no API
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
source "$here/env/node-1.env"
set +a
mkdir -p -- "$TRITON_CACHE_DIR" "$VLLM_CACHE_ROOT" "$FLASHINFER_WORKSPACE_BASE"

args=(
  --tensor-parallel-size 8
  --nnodes 2
  --node-rank 1
  --master-addr "${HEAD_ADDR}"
  --headless
  --load-format fastsafetensors
  --trust-remote-code
  --enable-prefix-caching
  --enable-auto-tool-choice
  --tool-call-parser kimi_k3
  --reasoning-parser kimi_k3
  --speculative-config '{"model":"Inferact/Kimi-K3-DSpark","method":"dspark","num_speculative_tokens":7,"attention_backend":"FLASHINFER_MLA","draft_sample_method":"probabilistic","rejection_sample_method":"block"}'
)
exec vllm serve moonshotai/Kimi-K3 "${args[@]}" "$@"
