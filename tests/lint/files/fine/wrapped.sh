python3 -m dynamo.frontend --http-port 8000 &
python3 -m dynamo.sglang --model-path Qwen/Qwen3-8B --page-size 16 --tp 1 --skip-tokenizer-init \
  --disaggregation-mode prefill --disaggregation-transfer-backend nixl &
CUDA_VISIBLE_DEVICES=1 python3 -m dynamo.vllm --model Qwen/Qwen3-0.6B --enforce-eager \
  --is-prefill-worker --connector nixl --endpoint dyn://a.b.c --kv-events-config '{"enable_kv_cache_events": true}'
