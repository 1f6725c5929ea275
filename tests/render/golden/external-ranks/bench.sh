#!/usr/bin/env bash
# external-ranks: a load test
# 32 requests, 8 at a time, 1024 tokens in and 256 out (some numbers are launchplan's: the recipe's workload leaves them open)
# Usage: ./bench.sh [BASE_URL [FLAGS OF THE BENCHMARK...]]
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
set -a
# shellcheck source=/dev/null
source "$here/env/common.env"
set +a

address="${HEAD_ADDR:-127.0.0.1}"
if [[ $address == *:* && $address != \[* ]]; then
  address="[$address]" # IPv6
fi
url=${1:-http://$address:8000}
url=${url%/}
if (($# > 0)); then
  shift
fi

args=(
  --base-url "$url"
  --model acme/experts-235b
  --served-model-name acme/experts-235b
  --backend openai
  --endpoint /v1/completions
  --dataset-name random
  --random-input-len 1024
  --random-output-len 256
  --num-prompts 32
  --max-concurrency 8
)
exec vllm bench serve "${args[@]}" "$@"
