docker run --gpus all --ipc=host vllm/vllm-openai:v0.33.0 --model Qwen/Qwen3-8B \
  --eplb-window-size 100 --swap-space 4
