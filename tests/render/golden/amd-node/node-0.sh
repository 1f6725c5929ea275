#!/usr/bin/env bash
# amd-node: node 0 of 1; serves the API on port 30000
# Made by launchplan for sglang nightly. What is given to this script is added to the command.
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
  --served-model-name experts
  --host 0.0.0.0
)
exec sglang serve --model-path /models/experts "${args[@]}" "$@"
