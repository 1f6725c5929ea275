python3 -m dynamo.vllm --model Qwen/Qwen3-8B --endpoint dyn://a.b.c --tensor-parallel-size 3
python3 -m dynamo.sglang --model-path Qwen/Qwen3-8B --page-size many
