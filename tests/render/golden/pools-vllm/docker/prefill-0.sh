#!/usr/bin/env bash
# pools-vllm: prefill, node 0 of 1 of instance 0; answers the router on port 8000
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
#   docker logs --follow pools-vllm-prefill-0   what it says
#   docker inspect --format '{{.State.Health.Status}}' pools-vllm-prefill-0   whether it generates
#   ./stop.sh   ends and removes it
set -euo pipefail

# What only the site knows.
: "${NODE_IFNAME:?network interface of this host, such as eth0}"
: "${PREFILL_0_HEAD_ADDR:?address of prefill instance 0, node 0, as the other hosts reach it}"

# The hub cache of the user who starts this.
HUB_CACHE=${HF_HOME:-$HOME/.cache/huggingface}
mkdir -p -- "${HUB_CACHE}"

options=(
  --detach --init
  --name pools-vllm-prefill-0
  --label 'launchplan.deployment=pools-vllm'
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
  --health-cmd 'python3 -c '"'"'import json,os,ssl,sys,urllib.request as u;k=os.environ.get("VLLM_API_KEY");h={"Content-Type":"application/json",**({"Authorization":"Bearer "+k} if k else {})};d=sys.argv[2].encode() if sys.argv[2:] else None;s=u.HTTPSHandler(context=ssl._create_unverified_context());a=u.build_opener(u.ProxyHandler({}),s).open(u.Request(sys.argv[1],d,h),timeout=60).read();sys.exit(bool(d) and json.loads(a)["usage"]["completion_tokens"]<1)'"'"' http://127.0.0.1:8000/health'
  --health-interval 30s
  --health-timeout 90s
  --health-retries 3
  --health-start-period 1800s
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
  --env "VLLM_NIXL_SIDE_CHANNEL_HOST=${PREFILL_0_HEAD_ADDR}"
  --env 'VLLM_NIXL_SIDE_CHANNEL_PORT=5600'
)
args=(
  serve acme/experts-235b
  --tensor-parallel-size 4
  --pipeline-parallel-size 2
  --kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_producer"}'
  --max-num-batched-tokens 16384
)
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint vllm vllm/vllm-openai:v0.33.0 "${args[@]}" "$@"
