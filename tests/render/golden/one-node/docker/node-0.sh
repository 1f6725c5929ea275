#!/usr/bin/env bash
# one-node: node 0 of 1; serves the API on port 8123
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
#   docker logs --follow one-node-node-0   what it says
#   docker inspect --format '{{.State.Health.Status}}' one-node-node-0   whether it generates
#   ./stop.sh   ends and removes it
set -euo pipefail

# The hub cache of the user who starts this.
HUB_CACHE=${HF_HOME:-$HOME/.cache/huggingface}
mkdir -p -- "${HUB_CACHE}"

# shellcheck disable=SC1003,SC2016 # values are literal, also where they look like an expansion
options=(
  --detach --init
  --name one-node-node-0
  --label 'launchplan.deployment=one-node'
  --restart unless-stopped
  --stop-timeout 120
  --network host
  --ipc host
  --ulimit 'memlock=-1'
  --ulimit 'stack=67108864'
  --ulimit 'nofile=1048576'
  --cap-add IPC_LOCK
  --gpus all
  --mount "type=bind,source=${HUB_CACHE},target=/root/.cache/huggingface"
  --health-cmd 'python3 -c '"'"'import json,os,ssl,sys,urllib.request as u;k=os.environ.get("VLLM_API_KEY");h={"Content-Type":"application/json",**({"Authorization":"Bearer "+k} if k else {})};d=sys.argv[2].encode() if sys.argv[2:] else None;s=u.HTTPSHandler(context=ssl._create_unverified_context());a=u.build_opener(u.ProxyHandler({}),s).open(u.Request(sys.argv[1],d,h),timeout=60).read();sys.exit(bool(d) and json.loads(a)["usage"]["completion_tokens"]<1)'"'"' http://127.0.0.1:8123/v1/chat/completions '"'"'{"model": "acme'"'"'"'"'"'"'"'"'s \"dense\" model: $8b", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}'"'"''
  --health-interval 30s
  --health-timeout 90s
  --health-retries 3
  --health-start-period 1800s
)
# shellcheck disable=SC1003,SC2016 # values are literal, also where they look like an expansion
environment=(
  --env HF_TOKEN
  --env 'EMPTY='
  --env 'GREETING=Grüße, it'"'"'s $HOME \ `id`
second line # not a comment'
  --env 'VLLM_LOGGING_LEVEL=INFO'
)
# shellcheck disable=SC1003,SC2016 # values are literal, also where they look like an expansion
args=(
  serve acme/dense-8b
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
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint vllm vllm/vllm-openai:v0.33.0 "${args[@]}" "$@"
