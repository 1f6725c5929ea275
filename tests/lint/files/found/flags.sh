#!/bin/bash
# every line has one mistake
export VLLM_ATTENTION_BACKEND=FLASHINFER
vllm serve Qwen/Qwen3-8B --tensor-paralel-size 2 --enable-metrics
vllm serve Qwen/Qwen3-8B --max-model-len 1e5
vllm serve Qwen/Qwen3-8B --dtype fp8
vllm serve Qwen/Qwen3-8B --port
vllm serve Qwen/Qwen3-8B --hf-overrides '{"a": 1'
vllm serve Qwen/Qwen3-8B --speculative-config {"method":"ngram","num_speculative_tokens":3}
vllm serve Qwen/Qwen3-8B --speculative-config "'{\"method\":\"ngram\"}'"
vllm serve Qwen/Qwen3-8B --compilation-config '{"cudagraph_mod": "FULL"}'
vllm serve Qwen/Qwen3-8B --max-num-seqs 16 --max-num-seqs=32
vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice
vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser qwen4
vllm serve Qwen/Qwen3-8B "--host 127.0.0.1"
python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2 --enable-ep-moe
python -m sglang.launch_server --model-path Qwen/Qwen3-8B --reasoning-parser qwen9
vllm serve Qwen/Qwen3-8B --port 80000
