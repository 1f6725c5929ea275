#!/usr/bin/env bash
# kserve-pools: prefill, node 0 of 2, the head; answers the router on port 8000
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
#   docker logs --follow kserve-pools-prefill-0   what it says
#   docker inspect --format '{{.State.Health.Status}}' kserve-pools-prefill-0   whether it generates
#   ./stop.sh   ends and removes it
set -euo pipefail

# What only the site knows.
: "${NODE_IFNAME:?network interface of this host, such as eth0}"
: "${PREFILL_HEAD_ADDR:?address of prefill node 0, as the other hosts reach it}"

# Compiled kernels belong on a disk of this host. Export LOCAL_CACHE to choose another folder than this one.
: "${LOCAL_CACHE:=/tmp/launchplan-$UID}"
# The hub cache of the user who starts this.
HUB_CACHE=${HF_HOME:-$HOME/.cache/huggingface}
mkdir -p -- "${HUB_CACHE}" "${LOCAL_CACHE}"

options=(
  --detach --init
  --name kserve-pools-prefill-0
  --label 'launchplan.deployment=kserve-pools'
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
if [[ -e /dev/nvidia-caps-imex-channels ]]; then # NVLink between hosts
  options+=(--device /dev/nvidia-caps-imex-channels)
fi
environment=(
  --env HF_TOKEN
  --env 'NCCL_MNNVL_ENABLE=1'
  --env 'NCCL_CUMEM_ENABLE=1'
  --env "NCCL_SOCKET_IFNAME=${NODE_IFNAME}"
  --env "GLOO_SOCKET_IFNAME=${NODE_IFNAME}"
  --env "TRITON_CACHE_DIR=${LOCAL_CACHE}/triton"
  --env "VLLM_CACHE_ROOT=${LOCAL_CACHE}/vllm"
  --env "FLASHINFER_WORKSPACE_BASE=${LOCAL_CACHE}/flashinfer"
  --env "VLLM_NIXL_SIDE_CHANNEL_HOST=${PREFILL_HEAD_ADDR}"
  --env 'VLLM_NIXL_SIDE_CHANNEL_PORT=5600'
)
args=(
  serve acme/experts-235b
  --tensor-parallel-size 4
  --pipeline-parallel-size 2
  --nnodes 2
  --node-rank 0
  --master-addr "${PREFILL_HEAD_ADDR}"
  --kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_producer"}'
)
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint vllm vllm/vllm-openai:v0.33.0 "${args[@]}" "$@"
