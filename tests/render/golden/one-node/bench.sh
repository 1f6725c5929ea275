#!/usr/bin/env bash
# one-node: a load test
# 64 requests, 16 at a time, 2000 tokens in and 300 out (the recipe's workload)
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
url=${1:-http://$address:8123}
url=${url%/}
if (($# > 0)); then
  shift
fi

# shellcheck disable=SC2016 # values are literal
args=(
  --base-url "$url"
  --model acme/dense-8b
  --served-model-name 'acme'"'"'s "dense" model: $8b'
  --backend openai
  --endpoint /v1/completions
  --dataset-name random
  --random-input-len 2000
  --random-output-len 300
  --num-prompts 64
  --max-concurrency 16
)
exec vllm bench serve "${args[@]}" "$@"
