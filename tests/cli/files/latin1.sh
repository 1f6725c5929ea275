vllm serve café
