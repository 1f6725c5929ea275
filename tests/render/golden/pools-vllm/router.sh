#!/usr/bin/env bash
# pools-vllm: the router; serves the API on port 9000
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
set -euo pipefail

# What only the site knows.
: "${DECODE_HEAD_ADDR:?address of decode node 0, as the other hosts reach it}"
: "${PREFILL_0_HEAD_ADDR:?address of prefill instance 0, node 0, as the other hosts reach it}"
: "${PREFILL_1_HEAD_ADDR:?address of prefill instance 1, node 0, as the other hosts reach it}"

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
set -a
# shellcheck source=/dev/null
source "$here/env/common.env"
# shellcheck source=/dev/null
source "$here/env/router.env"
set +a

args=(
  --host 0.0.0.0
  --port 9000
  --vllm-pd-disaggregation
  --prefill "http://${PREFILL_0_HEAD_ADDR}:8000"
  --prefill "http://${PREFILL_1_HEAD_ADDR}:8000"
  --decode "http://${DECODE_HEAD_ADDR}:8000"
  --policy round_robin
)
exec vllm-router "${args[@]}" "$@"
