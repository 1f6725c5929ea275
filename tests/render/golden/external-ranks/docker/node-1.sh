#!/usr/bin/env bash
# external-ranks: node 1 of 2; serves the API on ports 8000 to 8003
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
#   docker logs --follow external-ranks-node-1   what it says
#   docker inspect --format '{{.State.Health.Status}}' external-ranks-node-1   whether it generates
#   ./stop.sh   ends and removes it
set -euo pipefail

# What only the site knows.
: "${HEAD_ADDR:?address of node 0, as the other hosts reach it}"
: "${NODE_IFNAME:?network interface of this host, such as eth0}"

# Compiled kernels belong on a disk of this host. Export LOCAL_CACHE to choose another folder than this one.
: "${LOCAL_CACHE:=/tmp/launchplan-$UID}"
# The hub cache of the user who starts this.
HUB_CACHE=${HF_HOME:-$HOME/.cache/huggingface}
mkdir -p -- "${HUB_CACHE}" "${LOCAL_CACHE}"

options=(
  --detach --init
  --name external-ranks-node-1
  --label 'launchplan.deployment=external-ranks'
  --restart no
  --stop-timeout 120
  --network host
  --ipc host
  --ulimit 'memlock=-1'
  --ulimit 'stack=67108864'
  --ulimit 'nofile=1048576'
  --cap-add IPC_LOCK
  --gpus all
  --mount "type=bind,source=${HUB_CACHE},target=/root/.cache/huggingface"
  --mount "type=bind,source=${LOCAL_CACHE},target=${LOCAL_CACHE}"
  --health-cmd 'python3 -c '"'"'import json,os,ssl,sys,urllib.request as u;k=os.environ.get("VLLM_API_KEY");h={"Content-Type":"application/json",**({"Authorization":"Bearer "+k} if k else {})};d=sys.argv[2].encode() if sys.argv[2:] else None;s=u.HTTPSHandler(context=ssl._create_unverified_context());a=u.build_opener(u.ProxyHandler({}),s).open(u.Request(sys.argv[1],d,h),timeout=60).read();sys.exit(bool(d) and json.loads(a)["usage"]["completion_tokens"]<1)'"'"' http://127.0.0.1:8000/v1/chat/completions '"'"'{"model": "acme/experts-235b", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}'"'"''
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
  --env "TRITON_CACHE_DIR=${LOCAL_CACHE}/triton"
  --env "VLLM_CACHE_ROOT=${LOCAL_CACHE}/vllm"
  --env "FLASHINFER_WORKSPACE_BASE=${LOCAL_CACHE}/flashinfer"
)
args=(
  serve acme/experts-235b
  --tensor-parallel-size 2
  --data-parallel-size 8
  --enable-expert-parallel
  --data-parallel-size-local 4
  --data-parallel-multi-port-external-lb
  --data-parallel-address "${HEAD_ADDR}"
  --data-parallel-start-rank 4
)
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint vllm vllm/vllm-openai:v0.33.0 "${args[@]}" "$@"
