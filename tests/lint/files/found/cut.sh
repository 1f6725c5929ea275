vllm serve Qwen/Qwen3-8B \
  --tensor-parallel-size 2 \ 
  --port 8001

vllm serve Qwen/Qwen3-8B \
  --tensor-parallel-size 2 \
  # --enforce-eager \
  --port 8001

vllm serve Qwen/Qwen3-8B
  --port 8001
