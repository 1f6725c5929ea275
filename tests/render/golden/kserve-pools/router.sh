#!/usr/bin/env bash
# kserve-pools: the router; serves the API on port 8080
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
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
  --vllm-pd-disaggregation
  --prefill "http://${PREFILL_HEAD_ADDR}:8000"
  --decode "http://${DECODE_HEAD_ADDR}:8000"
)
exec vllm-router "${args[@]}" "$@"
