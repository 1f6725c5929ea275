docker run --gpus all -p 8000:8000 vllm/vllm-openai:v0.2.2 --model Qwen/Qwen-7B --tensor-parallel-size 2
