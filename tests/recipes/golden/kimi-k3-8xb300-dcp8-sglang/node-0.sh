#!/usr/bin/env bash
# kimi-k3-8xb300-dcp8-sglang: node 0 of 1; serves the API on port 30000
# Made by launchplan for sglang 0.5.23. What is given to this script is added to the command.
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
set -a
# shellcheck source=/dev/null
source "$here/env/common.env"
# shellcheck source=/dev/null
source "$here/env/node-0.env"
set +a

args=(
  --tp-size 8
  --dcp-size 8
)
exec sglang serve --model-path moonshotai/Kimi-K3 "${args[@]}" "$@"
