#!/usr/bin/env bash
# two-nodes-on-site: node 0 of 2, the head; serves the API on port 8000
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
#   docker logs --follow two-nodes-on-site-node-0   what it says
#   docker inspect --format '{{.State.Health.Status}}' two-nodes-on-site-node-0   whether it generates
#   ./stop.sh   ends and removes it
set -euo pipefail

mkdir -p -- /data/hub /tmp/launchplan-test/caches

options=(
  --detach --init
  --name two-nodes-on-site-node-0
  --label 'launchplan.deployment=two-nodes-on-site'
  --restart no
  --stop-timeout 120
  --network host
  --ipc host
  --ulimit 'memlock=-1'
  --ulimit 'stack=67108864'
  --ulimit 'nofile=1048576'
  --cap-add IPC_LOCK
  --gpus all
  --mount 'type=bind,source=/models/qwen3.8-fp8,target=/models/qwen3.8-fp8,readonly'
  --mount 'type=bind,source=/data/hub,target=/data/hub'
  --mount 'type=bind,source=/tmp/launchplan-test/caches,target=/tmp/launchplan-test/caches'
  --health-cmd 'python3 -c '"'"'import json,os,ssl,sys,urllib.request as u;k=os.environ.get("VLLM_API_KEY");h={"Content-Type":"application/json",**({"Authorization":"Bearer "+k} if k else {})};d=sys.argv[2].encode() if sys.argv[2:] else None;s=u.HTTPSHandler(context=ssl._create_unverified_context());a=u.build_opener(u.ProxyHandler({}),s).open(u.Request(sys.argv[1],d,h),timeout=60).read();sys.exit(bool(d) and json.loads(a)["usage"]["completion_tokens"]<1)'"'"' http://127.0.0.1:8000/v1/chat/completions '"'"'{"model": "Qwen/Qwen3.8-2.4T-A95B-FP8", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}'"'"''
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
  --env 'NCCL_IB_HCA=mlx5_0,mlx5_1'
  --env 'HF_HOME=/data/hub'
  --env 'NCCL_DEBUG=WARN'
  --env 'VLLM_ENGINE_READY_TIMEOUT_S=3600'
  --env 'NCCL_SOCKET_IFNAME=bond0'
  --env 'GLOO_SOCKET_IFNAME=bond0'
  --env 'TRITON_CACHE_DIR=/tmp/launchplan-test/caches/triton'
  --env 'VLLM_CACHE_ROOT=/tmp/launchplan-test/caches/vllm'
  --env 'FLASHINFER_WORKSPACE_BASE=/tmp/launchplan-test/caches/flashinfer'
  --env 'VLLM_HOST_IP=10.0.0.1'
  --env 'UCX_NET_DEVICES=mlx5_0:1,mlx5_1:1'
)
args=(
  serve /models/qwen3.8-fp8
  --tensor-parallel-size 16
  --nnodes 2
  --node-rank 0
  --master-addr 10.0.0.1
  --master-port 29555
  --max-model-len 262144
  --kv-cache-dtype fp8
  --enable-auto-tool-choice
  --tool-call-parser qwen3_coder
  --reasoning-parser qwen3
  --speculative-config '{"method":"mtp","num_speculative_tokens":3}'
  --served-model-name Qwen/Qwen3.8-2.4T-A95B-FP8
)
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint vllm vllm/vllm-openai:v0.33.0 "${args[@]}" "$@"
