# Flags of vLLM 0.11, for an image of today.
ARGS="--disable-log-requests --eplb-window-size 100"
docker run --gpus all --ipc=host vllm/vllm-openai:v0.33.0 --model Qwen/Qwen3-8B \
  --guided-decoding-backend xgrammar --swap-space 4 \
  --task=generate $ARGS \
  --use-v2-block-manager
vllm serve Qwen/Qwen3-8B --num-redundant-experts "$N" --enable-metrics --port 1
