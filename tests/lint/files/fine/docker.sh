docker run --runtime nvidia --gpus all \
    -v ~/.cache/huggingface:/root/.cache/huggingface \
    --env "HUGGING_FACE_HUB_TOKEN=$HF_TOKEN" \
    -p 8000:8000 --ipc=host \
    vllm/vllm-openai:latest \
    --model Qwen/Qwen3-8B --tensor-parallel-size 2
docker run --rm -it --gpus '"device=0,1"' --shm-size 16g -p30000:30000 lmsysorg/sglang:v0.5.23 \
    python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2 --host 0.0.0.0 --port 30000
podman run -d --device nvidia.com/gpu=all --security-opt=label=disable --name v docker.io/vllm/vllm-openai:v0.33.0 Qwen/Qwen3-8B
docker run --gpus all --entrypoint bash vllm/vllm-openai:v0.33.0 -c "vllm serve Qwen/Qwen3-8B --port 8001"
docker run -d nginx
