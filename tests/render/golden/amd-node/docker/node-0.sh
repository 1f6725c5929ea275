#!/usr/bin/env bash
# amd-node: node 0 of 1; serves the API on port 30000
# Made by launchplan for sglang nightly. What is given to this script is added to the command.
#   docker logs --follow amd-node-node-0   what it says
#   docker inspect --format '{{.State.Health.Status}}' amd-node-node-0   whether it generates
#   ./stop.sh   ends and removes it
set -euo pipefail

# What only the site knows.
: "${IMAGE:?container image that holds the engine}"

# The hub cache of the user who starts this.
HUB_CACHE=${HF_HOME:-$HOME/.cache/huggingface}
mkdir -p -- "${HUB_CACHE}"

options=(
  --detach --init
  --name amd-node-node-0
  --label 'launchplan.deployment=amd-node'
  --restart unless-stopped
  --stop-timeout 120
  --network host
  --ipc host
  --ulimit 'memlock=-1'
  --ulimit 'stack=67108864'
  --ulimit 'nofile=1048576'
  --cap-add IPC_LOCK
  --device /dev/kfd
  --device /dev/dri
  --group-add video
  --cap-add SYS_PTRACE
  --security-opt 'seccomp=unconfined'
  --mount 'type=bind,source=/models/experts,target=/models/experts,readonly'
  --mount "type=bind,source=${HUB_CACHE},target=/root/.cache/huggingface"
  --health-cmd 'python3 -c '"'"'import json,os,ssl,sys,urllib.request as u;k=os.environ.get("VLLM_API_KEY");h={"Content-Type":"application/json",**({"Authorization":"Bearer "+k} if k else {})};d=sys.argv[2].encode() if sys.argv[2:] else None;s=u.HTTPSHandler(context=ssl._create_unverified_context());a=u.build_opener(u.ProxyHandler({}),s).open(u.Request(sys.argv[1],d,h),timeout=60).read();sys.exit(bool(d) and json.loads(a)["usage"]["completion_tokens"]<1)'"'"' http://127.0.0.1:30000/health_generate'
  --health-interval 30s
  --health-timeout 90s
  --health-retries 3
  --health-start-period 1800s
)
environment=(
  --env HF_TOKEN
)
args=(
  serve --model-path /models/experts
  --tp-size 8
  --served-model-name experts
  --host 0.0.0.0
)
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint sglang "${IMAGE}" "${args[@]}" "$@"
