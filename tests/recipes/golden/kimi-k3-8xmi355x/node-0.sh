#!/usr/bin/env bash
# kimi-k3-8xmi355x: node 0 of 1; serves the API on port 8000
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
  --load-format fastsafetensors
  --trust-remote-code
  --enable-prefix-caching
  --enable-auto-tool-choice
  --tool-call-parser kimi_k3
  --reasoning-parser kimi_k3
)
exec vllm serve moonshotai/Kimi-K3 "${args[@]}" "$@"
