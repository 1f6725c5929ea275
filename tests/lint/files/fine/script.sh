#!/usr/bin/env bash
# Serve Qwen3 on one node.
set -euo pipefail

MODEL=${MODEL:-Qwen/Qwen3-32B}
PORT="${PORT:-8000}"
TP=$(nvidia-smi --list-gpus | wc -l)
LOG=/var/log/vllm-$(date +%F).log
export VLLM_LOGGING_LEVEL=INFO
export HF_HUB_ENABLE_HF_TRANSFER=1 NCCL_SOCKET_IFNAME=eth0

if [[ -n "${API_KEY:-}" ]]; then
  KEY=(--api-key "$API_KEY")
else
  KEY=()
fi
COMMON=(
  --host 0.0.0.0
  --port "$PORT"
  --gpu-memory-utilization 0.92   # leave room for graphs
  --max-model-len 32768
)
if [ "${DEBUG:-0}" = 1 ]; then
  COMMON+=(--enforce-eager)
fi

echo "starting vllm serve $MODEL on $TP GPUs"
pkill -f "vllm serve" || true
nohup vllm serve "$MODEL" \
  --tensor-parallel-size "$TP" \
  "${COMMON[@]}" ${KEY[@]+"${KEY[@]}"} \
  --speculative-config '{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 4}' \
  > "$LOG" 2>&1 &
pid=$!
until curl -sf "localhost:$PORT/health"; do sleep 5; done
wait "$pid"
