export A=1
vllm serve Qwen/Qwen3-8B --hf-overrides '{"a": 1}
echo done
