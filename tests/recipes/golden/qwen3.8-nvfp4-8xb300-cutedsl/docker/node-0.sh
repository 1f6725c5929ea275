#!/usr/bin/env bash
# qwen3.8-nvfp4-8xb300-cutedsl: node 0 of 1; serves the API on port 8000
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
#   docker logs --follow qwen3.8-nvfp4-8xb300-cutedsl-node-0   what it says
#   docker inspect --format '{{.State.Health.Status}}' qwen3.8-nvfp4-8xb300-cutedsl-node-0   whether it generates
#   ./stop.sh   ends and removes it
set -euo pipefail

# The hub cache of the user who starts this.
HUB_CACHE=${HF_HOME:-$HOME/.cache/huggingface}
mkdir -p -- "${HUB_CACHE}"

options=(
  --detach --init
  --name qwen3.8-nvfp4-8xb300-cutedsl-node-0
  --label 'launchplan.deployment=qwen3.8-nvfp4-8xb300-cutedsl'
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
  --health-cmd 'python3 -c '"'"'import json,os,ssl,sys,urllib.request as u;k=os.environ.get("VLLM_API_KEY");h={"Content-Type":"application/json",**({"Authorization":"Bearer "+k} if k else {})};d=sys.argv[2].encode() if sys.argv[2:] else None;s=u.HTTPSHandler(context=ssl._create_unverified_context());a=u.build_opener(u.ProxyHandler({}),s).open(u.Request(sys.argv[1],d,h),timeout=60).read();sys.exit(bool(d) and json.loads(a)["usage"]["completion_tokens"]<1)'"'"' http://127.0.0.1:8000/v1/chat/completions '"'"'{"model": "Inferact/Qwen3.8-2.4T-A95B-NVFP4", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}'"'"''
  --health-interval 30s
  --health-timeout 90s
  --health-retries 3
  --health-start-period 3600s
)
environment=(
  --env HF_TOKEN
  --env 'VLLM_ENGINE_READY_TIMEOUT_S=3600'
)
args=(
  serve Inferact/Qwen3.8-2.4T-A95B-NVFP4
  --tensor-parallel-size 8
  --max-model-len 262144
  --kv-cache-dtype fp8
  --enable-auto-tool-choice
  --tool-call-parser qwen3_coder
  --reasoning-parser qwen3
  --speculative-config '{"method":"mtp","num_speculative_tokens":3}'
  --linear-backend flashinfer_cutedsl
)
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint vllm vllm/vllm-openai:v0.33.0 "${args[@]}" "$@"
