#!/usr/bin/env bash
# qwen3.8-mxfp4-8xmi355x: node 0 of 1; serves the API on port 8000
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
set -a
# shellcheck source=/dev/null
source "$here/env/common.env"
# shellcheck source=/dev/null
source "$here/env/node-0.env"
set +a

args=(
  --tensor-parallel-size 8
  --enable-auto-tool-choice
  --tool-call-parser qwen3_coder
  --reasoning-parser qwen3
  --speculative-config '{"method":"mtp","num_speculative_tokens":3}'
)
exec vllm serve Inferact/Qwen3.8-2.4T-A95B-MXFP4 "${args[@]}" "$@"
