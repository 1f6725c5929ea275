#!/usr/bin/env bash
# kimi-k3-pd-vllm: the router; serves the API on port 8080
# Made by launchplan for vllm 0.33.0. What is given to this script is added to the command.
#   docker logs --follow kimi-k3-pd-vllm-router   what it says
#   docker inspect --format '{{.State.Health.Status}}' kimi-k3-pd-vllm-router   whether it generates
#   ./stop.sh   ends and removes it
set -euo pipefail

# What only the site knows.
: "${DECODE_HEAD_ADDR:?address of decode node 0, as the other hosts reach it}"
: "${PREFILL_HEAD_ADDR:?address of prefill node 0, as the other hosts reach it}"


options=(
  --detach --init
  --name kimi-k3-pd-vllm-router
  --label 'launchplan.deployment=kimi-k3-pd-vllm'
  --restart unless-stopped
  --stop-timeout 120
  --network host
  --health-cmd 'python3 -c '"'"'import json,os,ssl,sys,urllib.request as u;k=os.environ.get("VLLM_API_KEY");h={"Content-Type":"application/json",**({"Authorization":"Bearer "+k} if k else {})};d=sys.argv[2].encode() if sys.argv[2:] else None;s=u.HTTPSHandler(context=ssl._create_unverified_context());a=u.build_opener(u.ProxyHandler({}),s).open(u.Request(sys.argv[1],d,h),timeout=60).read();sys.exit(bool(d) and json.loads(a)["usage"]["completion_tokens"]<1)'"'"' http://127.0.0.1:8080/v1/chat/completions '"'"'{"model": "moonshotai/Kimi-K3", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}'"'"''
  --health-interval 30s
  --health-timeout 90s
  --health-retries 3
  --health-start-period 3600s
)
environment=(
  --env 'NCCL_MNNVL_ENABLE=1'
  --env 'NCCL_CUMEM_ENABLE=1'
  --env 'VLLM_ENGINE_READY_TIMEOUT_S=3600'
)
args=(
  --host 0.0.0.0
  --port 8080
  --vllm-pd-disaggregation
  --prefill "http://${PREFILL_HEAD_ADDR}:8000"
  --decode "http://${DECODE_HEAD_ADDR}:8000"
)
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint vllm-router vllm/vllm-router:nightly "${args[@]}" "$@"
