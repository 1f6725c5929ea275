#!/usr/bin/env bash
# kimi-k3-pd-sglang: the router; serves the API on port 8080
# Made by launchplan for sglang 0.5.23. What is given to this script is added to the command.
set -euo pipefail

# What only the site knows.
: "${DECODE_HEAD_ADDR:?address of decode node 0, as the other hosts reach it}"
: "${PREFILL_HEAD_ADDR:?address of prefill node 0, as the other hosts reach it}"

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
set -a
# shellcheck source=/dev/null
source "$here/env/common.env"
# shellcheck source=/dev/null
source "$here/env/router.env"
set +a

args=(
  --host 0.0.0.0
  --port 8080
  --pd-disaggregation
  --prefill "http://${PREFILL_HEAD_ADDR}:30000" 8998
  --decode "http://${DECODE_HEAD_ADDR}:30000"
)
exec python3 -m sglang_router.launch_router "${args[@]}" "$@"
