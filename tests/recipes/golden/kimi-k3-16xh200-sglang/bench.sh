#!/usr/bin/env bash
# kimi-k3-16xh200-sglang: a load test
# 32 requests, 8 at a time, 1024 tokens in and 256 out (some numbers are launchplan's: the recipe's workload leaves them open)
# Usage: ./bench.sh [BASE_URL [FLAGS OF THE BENCHMARK...]]
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
set -a
# shellcheck source=/dev/null
source "$here/env/common.env"
set +a

default_url=http://127.0.0.1:30000
url=${1:-$default_url}
url=${url%/}
if (($# > 0)); then
  shift
fi

args=(
  --base-url "$url"
  --model moonshotai/Kimi-K3
  --tokenizer moonshotai/Kimi-K3
  --backend sglang-oai
  --dataset-name random-ids
  --random-range-ratio 1.0
  --random-input-len 1024
  --random-output-len 256
  --num-prompts 32
  --max-concurrency 8
)
exec python3 -m sglang.bench_serving "${args[@]}" "$@"
