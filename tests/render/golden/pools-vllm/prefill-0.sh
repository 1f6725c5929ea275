#!/usr/bin/env bash
# pools-vllm: prefill, node 0 of 1 of instance 0; answers the router on port 8000
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
set -euo pipefail

# What only the site knows.
: "${NODE_IFNAME:?network interface of this host, such as eth0}"
: "${PREFILL_0_HEAD_ADDR:?address of prefill instance 0, node 0, as the other hosts reach it}"

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
set -a
# shellcheck source=/dev/null
source "$here/env/common.env"
# shellcheck source=/dev/null
source "$here/env/prefill-0.env"
set +a

args=(
  --tensor-parallel-size 4
  --pipeline-parallel-size 2
  --kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_producer"}'
  --max-num-batched-tokens 16384
)
exec vllm serve acme/experts-235b "${args[@]}" "$@"
