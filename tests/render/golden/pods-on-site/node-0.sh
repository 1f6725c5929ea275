#!/usr/bin/env bash
# Pods.on_Site: node 0 of 4, the head; serves the API on port 8000
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
set -euo pipefail

# What only the site knows.
: "${HEAD_ADDR:?address of node 0, as the other hosts reach it}"

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
set -a
# shellcheck source=/dev/null
source "$here/env/common.env"
# shellcheck source=/dev/null
source "$here/env/node-0.env"
set +a
mkdir -p -- "$TRITON_CACHE_DIR" "$VLLM_CACHE_ROOT" "$FLASHINFER_WORKSPACE_BASE"

# shellcheck disable=SC2016 # values are literal, also where they look like an expansion
args=(
  --data-parallel-size 32
  --enable-expert-parallel
  --data-parallel-size-local 8
  --data-parallel-address "${HEAD_ADDR}"
  --served-model-name 'acme $(experts) $$ for ${you}'
  --speculative-config '{"model":"/models/draft","method":"eagle3","num_speculative_tokens":3}'
)
exec vllm serve /models/experts "${args[@]}" "$@"
