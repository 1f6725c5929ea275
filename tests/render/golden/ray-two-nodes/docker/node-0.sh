#!/usr/bin/env bash
# ray-two-nodes: node 0 of 2, the head; serves the API on port 8000
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
#   docker logs --follow ray-two-nodes-node-0   what it says
#   docker inspect --format '{{.State.Health.Status}}' ray-two-nodes-node-0   whether it generates
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

# shellcheck disable=SC2016 # values are literal, also where they look like an expansion
options=(
  --detach --init
  --name ray-two-nodes-node-0
  --label 'launchplan.deployment=ray-two-nodes'
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
  --health-cmd 'python3 -c '"'"'import json,os,ssl,sys,urllib.request as u;k=os.environ.get("VLLM_API_KEY");h={"Content-Type":"application/json",**({"Authorization":"Bearer "+k} if k else {})};d=sys.argv[2].encode() if sys.argv[2:] else None;s=u.HTTPSHandler(context=ssl._create_unverified_context());a=u.build_opener(u.ProxyHandler({}),s).open(u.Request(sys.argv[1],d,h),timeout=60).read();sys.exit(bool(d) and json.loads(a)["usage"]["completion_tokens"]<1)'"'"' http://127.0.0.1:8000/v1/chat/completions '"'"'{"model": "acme/model", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}'"'"''
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
# shellcheck disable=SC2016 # values are literal, also where they look like an expansion
environment=(
  --env HF_TOKEN
  --env "NCCL_SOCKET_IFNAME=${NODE_IFNAME}"
  --env "GLOO_SOCKET_IFNAME=${NODE_IFNAME}"
  --env "TRITON_CACHE_DIR=${LOCAL_CACHE}/triton"
  --env "VLLM_CACHE_ROOT=${LOCAL_CACHE}/vllm"
  --env "FLASHINFER_WORKSPACE_BASE=${LOCAL_CACHE}/flashinfer"
  --env "VLLM_HOST_IP=${HEAD_ADDR}"
)
# shellcheck disable=SC2016 # values are literal, also where they look like an expansion
args=(
  -c '# Starts Ray'"'"'s head, waits until the GPUs of all hosts have joined, runs a server, and ends Ray with it.
# Usage: with-ray.sh GPUS ADDRESS RAY-COMMAND... -- SERVER-COMMAND...
set -euo pipefail

gpus=$1
export RAY_ADDRESS=$2
shift 2
head=()
while [[ $1 != -- ]]; do
  head+=("$1")
  shift
done
shift

ended='"'"''"'"' running=()
trap '"'"'ended=1; kill -TERM "${running[@]}" 2>/dev/null || :'"'"' TERM INT

finish() { # PID: waits for a process, also where a signal comes in between; gives its code
  local code=0
  wait "$1" || code=$?
  while kill -0 "$1" 2>/dev/null; do
    code=0
    wait "$1" || code=$?
  done
  return "$code"
}

env -u RAY_ADDRESS "${head[@]}" --block &
ray=$!
running=("$ray")

python3 -c '"'"'
import sys
import time

import ray

wanted, seen = float(sys.argv[1]), -1
ray.init(log_to_driver=False)
while (found := ray.cluster_resources().get("GPU", 0)) < wanted:
    if found != seen:
        print(f"Ray has {found:g} of {wanted:g} GPUs; waiting for the other hosts", flush=True)
        seen = found
    time.sleep(2)
'"'"' "$gpus" &
waiting=$!
running=("$waiting" "$ray")
code=0
wait -n "$waiting" "$ray" || code=$?
if kill -0 "$ray" 2>/dev/null && [[ -z $ended ]] && finish "$waiting"; then
  "$@" &
  server=$!
  running=("$server")
  code=0
  finish "$server" || code=$?
fi
kill -TERM "$waiting" "$ray" 2>/dev/null || :
finish "$ray" || :
exit "$code"
' with-ray 16 "${HEAD_ADDR}:6379" ray start --head --port 6379 --node-ip-address "${HEAD_ADDR}" --num-gpus 8 --disable-usage-stats -- vllm serve acme/model
  --tensor-parallel-size 8
  --pipeline-parallel-size 2
  --distributed-executor-backend ray
)
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint /bin/bash vllm/vllm-openai:v0.33.0 "${args[@]}" "$@"
