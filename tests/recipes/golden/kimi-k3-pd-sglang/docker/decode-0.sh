#!/usr/bin/env bash
# kimi-k3-pd-sglang: decode, node 0 of 1; answers the router on port 30000
# Made by launchplan for sglang 0.5.23. What is given to this script is added to the command.
#   docker logs --follow kimi-k3-pd-sglang-decode-0   what it says
#   docker inspect --format '{{.State.Health.Status}}' kimi-k3-pd-sglang-decode-0   whether it generates
#   ./stop.sh   ends and removes it
set -euo pipefail

# What only the site knows.
: "${NODE_IFNAME:?network interface of this host, such as eth0}"

# The hub cache of the user who starts this.
HUB_CACHE=${HF_HOME:-$HOME/.cache/huggingface}
mkdir -p -- "${HUB_CACHE}"

options=(
  --detach --init
  --name kimi-k3-pd-sglang-decode-0
  --label 'launchplan.deployment=kimi-k3-pd-sglang'
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
  --health-cmd 'python3 -c '"'"'import json,os,ssl,sys,urllib.request as u;k=os.environ.get("VLLM_API_KEY");h={"Content-Type":"application/json",**({"Authorization":"Bearer "+k} if k else {})};d=sys.argv[2].encode() if sys.argv[2:] else None;s=u.HTTPSHandler(context=ssl._create_unverified_context());a=u.build_opener(u.ProxyHandler({}),s).open(u.Request(sys.argv[1],d,h),timeout=60).read();sys.exit(bool(d) and json.loads(a)["usage"]["completion_tokens"]<1)'"'"' http://127.0.0.1:30000/health_generate'
  --health-interval 30s
  --health-timeout 90s
  --health-retries 3
  --health-start-period 3600s
)
for device in /dev/infiniband /dev/gdrdrv; do # RDMA; a host has what its driver brings
  if [[ -e $device ]]; then
    options+=(--device "$device")
  fi
done
environment=(
  --env HF_TOKEN
  --env "NCCL_SOCKET_IFNAME=${NODE_IFNAME}"
  --env "GLOO_SOCKET_IFNAME=${NODE_IFNAME}"
)
args=(
  serve --model-path moonshotai/Kimi-K3
  --tp-size 8
  --host 0.0.0.0
  --disaggregation-mode decode
  --disaggregation-transfer-backend nixl
)
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint sglang lmsysorg/sglang:v0.5.23 "${args[@]}" "$@"
