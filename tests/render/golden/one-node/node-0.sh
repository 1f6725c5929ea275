#!/usr/bin/env bash
# one-node: node 0 of 1; serves the API on port 8123
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
set -a
# shellcheck source=/dev/null
source "$here/env/common.env"
# shellcheck source=/dev/null
source "$here/env/node-0.env"
set +a

# shellcheck disable=SC1003,SC2016 # values are literal, also where they look like an expansion
args=(
  --tensor-parallel-size 8
  --hf-overrides '{"rope_scaling":{"rope_type":"yarn","factor":4.0},"note":"a `b` $c '"'"'d'"'"'"}'
  --served-model-name 'acme'"'"'s "dense" model: $8b'
  --host 0.0.0.0
  --port 8123
  --enable-log-requests
  --compilation-config '{"cudagraph_mode":"FULL_AND_PIECEWISE","pass config":[1,2]}'
  --chat-template '{{ bos }}
```
{% for m in messages %}'"'"'${m}'"'"' \ `m`{% endfor %}
'
  --generation-config ''
  --seed -1
)
exec vllm serve acme/dense-8b "${args[@]}" "$@"
