#!/usr/bin/env bash
# pools-sglang: the router; serves the API on port 8080
# Made by launchplan for sglang 0.5.23. What is given to this script is added to the command.
#   docker logs --follow pools-sglang-router   what it says
#   docker inspect --format '{{.State.Health.Status}}' pools-sglang-router   whether it generates
#   ./stop.sh   ends and removes it
set -euo pipefail

# What only the site knows.
: "${DECODE_HEAD_ADDR:?address of decode node 0, as the other hosts reach it}"
: "${PREFILL_HEAD_ADDR:?address of prefill node 0, as the other hosts reach it}"


options=(
  --detach --init
  --name pools-sglang-router
  --label 'launchplan.deployment=pools-sglang'
  --restart unless-stopped
  --stop-timeout 120
  --network host
  --health-cmd 'python3 -c '"'"'import json,os,ssl,sys,urllib.request as u;k=os.environ.get("VLLM_API_KEY");h={"Content-Type":"application/json",**({"Authorization":"Bearer "+k} if k else {})};d=sys.argv[2].encode() if sys.argv[2:] else None;s=u.HTTPSHandler(context=ssl._create_unverified_context());a=u.build_opener(u.ProxyHandler({}),s).open(u.Request(sys.argv[1],d,h),timeout=60).read();sys.exit(bool(d) and json.loads(a)["usage"]["completion_tokens"]<1)'"'"' http://127.0.0.1:8080/v1/chat/completions '"'"'{"model": "acme/experts-235b", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}'"'"''
  --health-interval 30s
  --health-timeout 90s
  --health-retries 3
  --health-start-period 1800s
)
environment=(
)
args=(
  -m sglang_router.launch_router
  --host 0.0.0.0
  --port 8080
  --pd-disaggregation
  --prefill "http://${PREFILL_HEAD_ADDR}:30000" 8998
  --decode "http://${DECODE_HEAD_ADDR}:30000"
)
exec docker run "${options[@]}" "${environment[@]}" \
  --entrypoint python3 lmsysorg/sgl-model-gateway:v0.3.2 "${args[@]}" "$@"
