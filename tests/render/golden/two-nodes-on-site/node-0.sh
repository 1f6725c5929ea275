#!/usr/bin/env bash
# two-nodes-on-site: node 0 of 2, the head; serves the API on port 8000
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
set -a
# shellcheck source=/dev/null
source "$here/env/common.env"
# shellcheck source=/dev/null
source "$here/env/node-0.env"
set +a
mkdir -p -- "$TRITON_CACHE_DIR" "$VLLM_CACHE_ROOT" "$FLASHINFER_WORKSPACE_BASE"

args=(
  --tensor-parallel-size 16
  --nnodes 2
  --node-rank 0
  --master-addr 10.0.0.1
  --master-port 29555
  --max-model-len 262144
  --kv-cache-dtype fp8
  --enable-auto-tool-choice
  --tool-call-parser qwen3_coder
  --reasoning-parser qwen3
  --speculative-config '{"method":"mtp","num_speculative_tokens":3}'
  --served-model-name Qwen/Qwen3.8-2.4T-A95B-FP8
)
exec vllm serve /models/qwen3.8-fp8 "${args[@]}" "$@"
