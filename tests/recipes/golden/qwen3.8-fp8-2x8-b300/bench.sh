#!/usr/bin/env bash
# qwen3.8-fp8-2x8-b300: a load test
# 200 requests, 50 at a time, 98976 tokens in and 1024 out (the recipe's workload)
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
  --model Qwen/Qwen3.8-2.4T-A95B-FP8
  --served-model-name Qwen/Qwen3.8-2.4T-A95B-FP8
  --backend openai
  --endpoint /v1/completions
  --dataset-name random
  --random-input-len 98976
  --random-output-len 1024
  --num-prompts 200
  --max-concurrency 50
)
exec vllm bench serve "${args[@]}" "$@"
