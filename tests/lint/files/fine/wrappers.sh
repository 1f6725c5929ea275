env CUDA_VISIBLE_DEVICES=0,1 VLLM_USE_DEEP_GEMM=0 numactl --cpunodebind=0 --membind=0 vllm serve Qwen/Qwen3-8B -tp 2
uv run --with vllm==0.33.0 vllm serve Qwen/Qwen3-8B
uvx vllm serve Qwen/Qwen3-8B --max-model-len 16k
timeout 3600 python3 -u -m vllm.entrypoints.openai.api_server --model Qwen/Qwen3-8B --tensor_parallel_size=2
nsys profile -o trace --trace-fork-before-exec=true vllm serve Qwen/Qwen3-8B --enforce-eager
ray job submit --address http://head:8265 -- vllm serve Qwen/Qwen3-8B
kubectl exec -it vllm-0 -c vllm -- bash -c "vllm serve Qwen/Qwen3-8B --port 8001"
docker exec -d box bash -lc 'cd /srv && vllm serve Qwen/Qwen3-8B --port 8001 > /tmp/log 2>&1'
ssh gpu-1 "source ~/venv/bin/activate && exec vllm serve Qwen/Qwen3-8B"
tmux new-session -d -s serve 'vllm serve Qwen/Qwen3-8B'
torchrun --nnodes 1 --nproc-per-node 1 -m pytest; python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2
mpirun -np 1 -x NCCL_DEBUG=INFO sglang serve --model-path Qwen/Qwen3-8B --mem-fraction-static 0.85
/opt/venv/bin/vllm serve Qwen/Qwen3-8B --served-model-name a b --lora-modules x=/l/x y=/l/y
vllm bench serve --model Qwen/Qwen3-8B --num-prompts 10
vllm serve --help
(cd /srv; vllm serve Qwen/Qwen3-8B)
! vllm serve Qwen/Qwen3-8B | tee log
cat <<'EOF' > run.sh
vllm serve Qwen/Qwen3-8B --port 9000
EOF
