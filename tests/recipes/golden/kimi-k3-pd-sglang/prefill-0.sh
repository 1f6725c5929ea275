#!/usr/bin/env bash
# kimi-k3-pd-sglang: prefill, node 0 of 1; answers the router on port 30000
# Made by launchplan for sglang 0.5.23. What is given to this script is added to the command.
set -euo pipefail

# What only the site knows.
: "${NODE_IFNAME:?network interface of this host, such as eth0}"

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
set -a
# shellcheck source=/dev/null
source "$here/env/common.env"
# shellcheck source=/dev/null
source "$here/env/prefill-0.env"
set +a

args=(
  --pp-size 8
  --host 0.0.0.0
  --disaggregation-mode prefill
  --disaggregation-transfer-backend nixl
)
exec sglang serve --model-path moonshotai/Kimi-K3 "${args[@]}" "$@"
